"""Pictures: file formats stop here, and recipes become what a model is shown."""
