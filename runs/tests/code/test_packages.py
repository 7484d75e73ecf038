"""Packages are read from requirements.txt, and compared by the names that pip takes for the same."""

from runs.code.packages import PackageChange, compare_packages, read_packages


def test_all_forms_of_requirements_are_read():
    text = (
        "# pip freeze\ntorch==2.10.0\n\nPillow >= 12\nuvicorn[standard]==0.40.0 ; python_version > '3'\n"
        "wheel @ file:///tmp/wheel.whl\n-e git+https://example.com/x.git@main#egg=mine\n--index-url https://x\nnumpy\n"
    )
    assert read_packages(text) == {
        "mine": "git+https://example.com/x.git@main#egg=mine", "numpy": "", "Pillow": ">= 12", "torch": "2.10.0",
        "uvicorn": "0.40.0", "wheel": "file:///tmp/wheel.whl",
    }  # fmt: skip


def test_differences_are_told_by_kind():
    changes = compare_packages(
        {"torch": "2.10", "typing_extensions": "4", "lion": "1"},
        {"torch": "2.9", "typing-extensions": "4", "timm": "1"},
    )
    assert changes.rows == [
        ("changed", [PackageChange("torch", "2.10", "2.9")]),
        ("here", [PackageChange("lion", "1", "")]),
        ("there", [PackageChange("timm", "", "1")]),
    ]
    assert changes.same == 1
