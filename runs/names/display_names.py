"""Random display names: ``adjective-noun-N`` with N the run's number in its project (RUN-1)."""

import secrets

_ADJECTIVES = (
    "able agile airy alert amber ample apt arctic ardent autumn avid azure balmy basic bold brave breezy"
    " brief bright brisk bronze calm candid careful cheery chief chilly civil classic clean clear clever"
    " cloudy coastal cool copper coral cosmic cozy crimson crisp curious daily daring dawn decent deep"
    " deft dense desert devout dewy distant divine dreamy dry dusty eager early earnest earthy eastern"
    " easy elder electric elegant elfin emerald epic equal even exact fabled fair faithful famous fancy"
    " fast fearless festive fine firm first fleet floral fluent flying foggy fond frank free fresh frosty"
    " gallant gentle genial giant gifted glad gleaming glossy golden good graceful grand grateful green"
    " grey handy happy hardy hazel hearty hidden high honest humble icy ideal indigo inner ivory jade"
    " jolly jovial joyful just keen kind lavender leafy light lilac lively lofty logical loyal lucid lucky"
    " lunar magic major maple marble mellow merry mighty mild misty modest mossy nautical neat nimble"
    " noble northern novel oaken olive open orange orderly pale patient peaceful pearl placid plain plucky"
    " polar polished prime proud prudent pure quick quiet radiant rapid rare ready regal robust rosy royal"
    " ruby rustic sage sandy scarlet serene sharp shining silent silken silver simple sleek smooth snowy"
    " soft solar solid southern spry stable stark steady stellar still stoic sturdy summer sunny sunlit"
    " super swift tidy tiny tranquil true trusty upbeat valiant vast verdant vivid warm western whole wild"
    " windy winter wise witty worthy young zesty"
).split()

_NOUNS = (
    "acorn anchor antler apple arbor arrow aspen aurora badger bamboo banner basin bay beacon beech berry"
    " birch bison bloom bluff boulder branch bridge brook butte cabin cactus canyon cape cedar cherry"
    " cliff cloud clover coast cobra comet compass condor coral cosmos cove crag crane creek crest crow"
    " crystal current cypress dale dawn deer delta dew dolphin dove dragon drift dune dusk eagle echo"
    " eclipse elk elm ember falcon feather fern field finch fir fjord flame flint forest fountain fox"
    " galaxy garden gazelle geyser glacier glade glen glow gorge granite grove gull harbor hare harvest"
    " haven hawk hazel heath heather heron hill hollow horizon inlet iris island ivy jasmine jay juniper"
    " kestrel kite koala lagoon lake lantern larch lark laurel leaf lemur lichen lily lion lotus lynx"
    " magnolia maple marlin marsh meadow mesa meteor mist monsoon moon moor morning moss moth mountain"
    " myrtle nebula nest newt oak oasis ocean olive orbit orchard orchid osprey otter owl panda panther"
    " pass path peak pearl pebble pelican pepper petal pier pine plain planet plateau plum pond poplar"
    " poppy prairie puffin quail quartz rain rainbow raven reef ridge river robin rock rose sable salmon"
    " sand sapling sea seal sequoia shadow shell shore sky sparrow spring spruce star stone stork storm"
    " stream summit sun sunrise sunset surf swan thicket thistle thunder tide tiger trail tree tulip"
    " tundra valley violet vista volcano walnut water wave whale willow wind wolf wood wren yew zebra"
    " zenith"
).split()


def random_display_name(number: int) -> str:
    """Return a name such as ``earnest-sunset-1``."""
    return f"{secrets.choice(_ADJECTIVES)}-{secrets.choice(_NOUNS)}-{number}"


def random_sweep_name(number: int) -> str:
    """Return a name such as ``earnest-sweep-1``, for the run that is a sweep's trial of this number."""
    return f"{secrets.choice(_ADJECTIVES)}-sweep-{number}"


def random_uid() -> str:
    """Return eight random characters of base 36, as the SDK makes them."""
    return "".join(secrets.choice("0123456789abcdefghijklmnopqrstuvwxyz") for _ in range(8))
