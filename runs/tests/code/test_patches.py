"""Patches are read file by file, whatever is in their lines."""

from runs.code.patches import MOST_LINES, Change, read_patch

PATCH = """\
diff --git a/train.py b/train.py
index 5d1c0b2..a94f3e1 100644
--- a/train.py
+++ b/train.py
@@ -1,3 +1,3 @@ def main():
 import torch
--- a comment in Lua
++++ not a head

@@ -10 +10 @@
-last
\\ No newline at end of file
+last
diff --git a/old name.py b/new name.py
similarity index 100%
rename from old name.py
rename to new name.py
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,2 @@
+one
+two
diff --git a/gone.png b/gone.png
deleted file mode 100644
Binary files a/gone.png and /dev/null differ
"""


def test_each_file_says_what_changes_in_it():
    patch = read_patch(PATCH)
    assert [(file.name, file.change, file.added, file.removed) for file in patch.files] == [
        ("train.py", Change.MODIFIED, 2, 2), ("new name.py", Change.RENAMED, 0, 0),
        ("new.txt", Change.ADDED, 2, 0), ("gone.png", Change.DELETED, 0, 0),
    ]  # fmt: skip
    assert patch.files[1].name_before == "old name.py"
    assert patch.files[3].is_binary
    assert (patch.added, patch.removed) == (4, 2)


def test_lines_have_their_numbers_before_and_after():
    lines = read_patch(PATCH).files[0].lines
    assert [(line.kind, line.text, line.before, line.after) for line in lines[:5]] == [
        ("hunk", "@@ -1,3 +1,3 @@ def main():", None, None), ("context", "import torch", 1, 1),
        ("removed", "-- a comment in Lua", 2, None), ("added", "+++ not a head", None, 2), ("context", "", 3, 3),
    ]  # fmt: skip


def test_a_hunk_that_promises_too_much_ends_with_its_file():
    text = (
        "--- a\n+++ a\n@@ -1,9 +1,9 @@\n-x\n+y\ndiff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n"
    )
    assert [(file.name, file.added) for file in read_patch(text).files] == [("a", 1), ("b", 1)]


def test_what_is_no_patch_has_no_files():
    assert read_patch("hello\nworld").files == []
    assert read_patch("").files == []


def test_a_patch_without_heads_of_git_is_read_and_a_long_one_is_cut():
    long = "--- a.py\n+++ a.py\n@@ -0,0 +1,9000 @@\n" + "+x\n" * 9000
    patch = read_patch(long)
    assert [file.name for file in patch.files] == ["a.py"]
    assert patch.is_cut
    assert patch.added < MOST_LINES
