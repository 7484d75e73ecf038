"""Ids of runs as people choose them, and any that they may choose."""

from hypothesis import strategies as st

from runs.names.run_ids import FORBIDDEN, MAX_LENGTH

LOGGED = ("lr=0.1 +b", 'a "quoted" b\\c', "日本 é 🚀👩‍💻", "table", "[x]{y}<b>&amp|^`~!*()@$")
"""Such as the SDK logs to."""
STRANGE = (
    *LOGGED, ".", "..", "...", "50%", "a%41", "%2e%2e", "..\\..", "x" * MAX_LENGTH, "🚀" * MAX_LENGTH, "runs", "files",
    "stream", "sweeps", "artifacts", "workspace", "overview", "constructor", "__proto__", "123",
)  # fmt: skip

allowed_ids = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], exclude_characters=FORBIDDEN),
    min_size=1,
    max_size=MAX_LENGTH,
).filter(lambda uid: uid == uid.strip())
