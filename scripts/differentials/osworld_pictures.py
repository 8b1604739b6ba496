"""Pictures for the OSWorld metrics (see `scripts/diff osworld`)."""

import io
import itertools

import numpy
from PIL import Image, PngImagePlugin


def waves(width, height):
    """A picture that is nowhere the same."""
    x, y = numpy.meshgrid(numpy.arange(width), numpy.arange(height))
    return numpy.stack([(x * 7 + y * 3) % 200 + 20, (y * 5 + x) % 180, (x * y) % 220], -1).astype(numpy.uint8)


def triangle(width, height, left, top, mode="RGB"):
    """A dark square on a light ground."""
    picture = Image.new("RGB", (width, height), (250, 250, 240))
    picture.paste((20, 30, 200), (left, top, left + 6, top + 6))
    return picture.convert(mode)


def edged(picture, width=2):
    """The same with nothing around it."""
    found = Image.new("RGBA", (picture.width + 2 * width, picture.height + 3 * width), (0, 0, 0, 0))
    found.paste(picture, (width, width))
    return found


def all_of():
    plain = Image.fromarray(waves(40, 30))
    grey = plain.convert("L")
    deep = waves(40, 30)[..., 0].astype(numpy.uint16)
    blur = plain.resize((20, 15)).resize((40, 30))
    saturated = Image.merge("HSV", [band.point(lambda v: min(255, v + 40)) if at == 1 else band
                                    for at, band in enumerate(plain.convert("HSV").split())]).convert("RGB")
    found = {
        "plain.png": plain, "dark.png": plain.point(lambda v: v // 2), "light.png": plain.point(lambda v: min(255, v + 30)),
        "mirror.png": plain.transpose(Image.Transpose.FLIP_LEFT_RIGHT), "turned.png": plain.transpose(Image.Transpose.FLIP_TOP_BOTTOM),
        "grey.png": grey, "small.png": plain.resize((20, 15)), "tall.png": plain.resize((40, 60)), "wide.png": plain.resize((60, 30)), "plain.bmp": plain,
        "grey.bmp": grey, "alpha.png": plain.convert("RGBA"), "grey_alpha.png": plain.convert("LA"), "edged.png": edged(plain), "clear.png": Image.new("RGBA", (9, 9), (1, 2, 3, 0)),
        "flat.png": Image.new("RGB", (40, 30), (9, 200, 9)), "green.png": Image.new("RGB", (40, 30), (0, 255, 0)), "black.png": Image.new("RGB", (40, 30)),
        "white.png": Image.new("RGB", (40, 30), (255, 255, 255)), "contrast.png": plain.point(lambda v: max(0, min(255, (v - 110) * 2 + 110))), "palette.png": plain.quantize(16),
        "palette_two.png": plain.quantize(2), "one_bit.png": grey.convert("1"), "square.png": Image.fromarray(waves(30, 30)), "dots.png": Image.fromarray(waves(40, 30) ^ 64),
        "near.png": Image.fromarray(waves(40, 30) ^ 1), "saturated.png": saturated, "blurred.png": blur, "deep.png": Image.fromarray(deep * 200), "deep_low.png": Image.fromarray(deep),
        "tiny.png": plain.crop((0, 0, 5, 5)), "six.png": plain.crop((0, 0, 40, 6)), "seven.png": plain.crop((0, 0, 7, 7)), "point.png": plain.crop((0, 0, 1, 1)),
        "middle.png": triangle(40, 30, 17, 12), "corner.png": triangle(40, 30, 1, 1), "edge.png": triangle(40, 30, 19, 12), "left.png": triangle(40, 30, 2, 12),
        "middle_alpha.png": triangle(40, 30, 17, 12, "RGBA"), "middle_grey.png": triangle(40, 30, 17, 12, "L"), "middle_palette.png": triangle(40, 30, 17, 12).quantize(4),
        "plain.gif": plain.quantize(32), "plain.tiff": plain, "plain.webp": plain,
    }
    return found


def make(to, dice):
    pictures = all_of()
    for name, picture in pictures.items():
        picture.save(to.path(f"g/{name}"), **({"lossless": True} if name.endswith("webp") else {}))
    plain = pictures["plain.png"]
    plain.save(to.path("g/lossy.jpg"), quality=90)
    plain.save(to.path("g/lossy_low.jpg"), quality=20)
    plain.convert("L").save(to.path("g/lossy_grey.jpg"))
    note = PngImagePlugin.PngInfo()
    note.add_text("x", "y")
    plain.save(to.path("g/noted.png"), pnginfo=note)
    plain.save(to.path("g/dense.png"), dpi=(300, 300))
    plain.save(to.path("g/clear_color.png"), transparency=(20, 0, 0))
    pictures["palette.png"].save(to.path("g/clear_palette.png"), transparency=3)
    pictures["grey.png"].save(to.path("g/clear_grey.png"), transparency=40)
    whole = io.BytesIO()
    plain.save(whole, "png")
    to.path("g/cut.png").write_bytes(whole.getvalue()[:200])
    to.path("g/head.png").write_bytes(whole.getvalue()[:40])
    to.path("g/empty.png").write_bytes(b"")
    to.path("g/words.png").write_bytes(b"plain words")
    to.path("g/wrong.jpg").write_bytes(whole.getvalue())
    names = [f"@file:g/{path.name}" for path in sorted((to.folder / "g").iterdir())]
    main = [f"@file:g/{name}" for name in ["plain.png", "grey.png", "alpha.png", "edged.png", "middle.png", "lossy.jpg", "palette.png", "small.png", "deep.png"]]
    pairs = ["check_structure_sim", "check_structure_sim_resized", "check_brightness_decrease_and_structure_sim", "check_saturation_increase_and_structure_sim",
             "check_contrast_increase_and_structure_sim", "check_image_mirror", "check_palette_and_structure_sim", "check_file_exists_and_structure_sim", "check_sharper",
             "decrease_brightness", "increase_saturation", "compare_image_list", "compare_images", "check_green_background"]
    for name, other in [*itertools.product(names, main), *itertools.product(main, names), *((name, name) for name in names), *zip(names, dice.sample(names, len(names)))]:
        for func in pairs:
            to.case(func, name, other)
    for name in [*names, "@file:g/gone.png", None]:
        to.case("check_textbox_on_leftside", name)
        to.case("check_triangle_position", name)
        for rule in [{"width": 40}, {"height": 30, "width": 40}, {"height": 30, "width": 40, "ignore_transparent": True}, {"height": None, "width": 41}, {}]:
            to.case("check_image_size", name, rule)
        to.case("check_image_file_size", name, {"max_size": 500})
        to.case("compare_images", name, names[0], reference_base_result=0.3)
        to.case("compare_images", name, "@file:g/plain.png", reference_base_result=0.3)
        for func in dice.sample(pairs, 4):
            to.case(func, name, "@file:g/gone.png" if name is None else None) if func.startswith("check") else None
        to.case("compare_image_list", [name, "@file:g/plain.png"], ["@file:g/plain.png", "@file:g/plain.png"])
