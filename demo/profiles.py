"""What the demo's people and teams tell about themselves: words, links, an intro, a picture."""

from io import BytesIO

from PIL import Image, ImageDraw, ImageFilter

from demo.people import ORGANIZATION, PEOPLE

INTRO_OF_ADA = """\
I train **small vision models** and count what each sample costs.

## These days

- A sweep over learning rates on CIFAR-10: [cifar-sweep](/vision/cifar-sweep)
- Diffusion on 64 × 64 pixels, [its pictures](/vision/diffusion)

## Earlier work

| Year | Talk | Place |
| --- | --- | --- |
| 2024 | Quantised detectors on one watt | Lyon |
| 2022 | Thesis on data pruning | Grenoble |

> Look at the data first, at the loss second.
"""
INTRO_OF_VISION = """\
We make models that see with **less**: fewer labels, fewer watts.

1. Begin with [cifar-sweep](/vision/cifar-sweep), our reference.
2. Ask before you delete a run: somebody may compare with it.
"""
TOLD = {
    "ada": {"bio": "Small vision models, counted in joules.", "institution": "Aurora Labs", "location": "Lyon, France"},
    "kenji": {"institution": "Aurora Labs", "location": "Kyoto"},
    "lena": {"bio": "Tokens, mostly.", "institution": "Aurora Labs"},
}  # fmt: skip
LINKS_OF_ADA = [
    ("ada-moreau.example", "https://ada-moreau.example/"),
    ("Aurora Labs", "https://aurora-labs.example/"),
]
COLORS = {"ada": ("#3d4fd6", "#ffb26b"), "kenji": ("#00875f", "#e8f7b0"), "vision": ("#171a21", "#4ba3e3")}


def make_profiles() -> None:
    """Fill the profiles; Django must be set up."""
    from django.core.files.uploadedfile import SimpleUploadedFile

    from access.actor import SYSTEM
    from accounts.models import User
    from accounts.profile import services as profiles
    from accounts.profile.services import Link, ProfileFields
    from teams.models import Organization, Team

    people = {
        user.username: user for user in User.objects.select_related("claim").filter(username__in=PEOPLE)
    }
    for name, user in people.items():
        links = [Link(label, url) for label, url in LINKS_OF_ADA] if name == "ada" else []
        words = ProfileFields(**TOLD.get(name, {}), links=links)
        profiles.change_words(actor=SYSTEM, row=user, words=words, display_name=PEOPLE[name])
    vision = Team.objects.select_related("claim").get(name="vision")
    words = ProfileFields(
        "Models that see with less.", links=[Link("Papers", "https://aurora-labs.example/vision")]
    )
    profiles.change_words(actor=SYSTEM, row=vision, words=words)
    profiles.change_intro(actor=SYSTEM, row=people["ada"], intro=INTRO_OF_ADA)
    profiles.change_intro(actor=SYSTEM, row=vision, intro=INTRO_OF_VISION)
    for name, colors in COLORS.items():
        upload = SimpleUploadedFile(f"{name}.png", _picture(*colors))
        profiles.change_picture(actor=SYSTEM, row=people.get(name) or vision, upload=upload)
    organization = Organization.objects.select_related("claim").get(name=ORGANIZATION)
    upload = SimpleUploadedFile("aurora.png", _picture("#12704a", "#d9f2ff"))
    profiles.change_picture(actor=SYSTEM, row=organization, upload=upload)


def _picture(back: str, front: str) -> bytes:
    """Draw a soft sun over a horizon: something that is no face and no letter."""
    image = Image.new("RGB", (512, 512), back)
    pen = ImageDraw.Draw(image)
    pen.ellipse((150, 110, 400, 360), fill=front)
    pen.rectangle((0, 330, 512, 512), fill=back)
    out = BytesIO()
    image.filter(ImageFilter.GaussianBlur(14)).save(out, "PNG")
    return out.getvalue()
