from __future__ import annotations

from overread.audits.category_labels import misspelt_labels


def test_a_rare_beginning_of_a_label_is_a_slip_of_it():
    # CT-SpatialVQA has 2,272 and 2 of these.
    used = ["Medial-Lateral Orientation (Centricity)"] * 2272 + ["Medial-Lateral Orientation"] * 2
    assert misspelt_labels(used) == {
        "Medial-Lateral Orientation": ("Medial-Lateral Orientation (Centricity)", 2)
    }


def test_a_rare_label_unlike_all_others_is_a_label():
    assert misspelt_labels(["Laterality"] * 500 + ["Depth"]) == {}


def test_a_label_that_a_table_knows_is_right_however_rare():
    used = ["Laterality, left"] * 500 + ["Laterality"]
    assert misspelt_labels(used, known=["Laterality"]) == {}
    assert misspelt_labels(used) == {"Laterality": ("Laterality, left", 1)}


def test_a_slip_of_a_known_label_need_not_be_rare():
    used = ["Laterality"] * 4 + ["Lateralty"] * 3
    assert misspelt_labels(used) == {}
    assert misspelt_labels(used, known=["Laterality"]) == {"Lateralty": ("Laterality", 3)}
    assert misspelt_labels(["Lateralty"], known=["Laterality"]) == {"Lateralty": ("Laterality", 1)}


def test_two_frequent_labels_that_are_alike_are_both_right():
    assert misspelt_labels(["upper lobe"] * 50 + ["upper lobes"] * 40) == {}


def test_case_and_spaces_make_no_other_label():
    assert misspelt_labels(["Upper  lobe"] + ["upper lobe"] * 99) == {
        "Upper  lobe": ("upper lobe", 1)
    }


def test_an_empty_label_is_no_slip_of_anything():
    assert misspelt_labels([" "] + ["upper lobe"] * 99) == {}
