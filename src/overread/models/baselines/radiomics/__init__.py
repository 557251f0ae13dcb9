"""A reader of pictures without a neural network: measured features and nearest neighbours.

`pixels` takes a picture apart, `slice_features` and `lesion_features` measure it, `candidates`
finds where a lesion may be when no box says so, `evidence` looks up what the texts of similar
training lesions say, and `reader` puts the five together.
"""
