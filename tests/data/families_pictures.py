"""What is recorded of pictures: resized, padded, pooled, taken apart into windows, as expressions over a."""

from __future__ import annotations

from tests.data.family import Family

ROW, PICTURE, VOLUME = (1, 2, 5), (2, 2, 3, 4), (1, 1, 3, 2, 4)
SIZES = ("scale_factor=2", "size=(4, 3)", "scale_factor=(1.5, 0.7)")
SMOOTH = ("bilinear", "bicubic")

PICTURES = Family(
    shaped=(
        *((f"neural.interpolate(a, {size}, mode='{mode}'{corners})", (PICTURE,))
          for size in SIZES for mode in SMOOTH for corners in ("", ", align_corners=True")),
        *((f"neural.interpolate(a, {size}, mode='{mode}', antialias=True)", (PICTURE,))
          for size in SIZES[1:] for mode in (*SMOOTH, "lanczos")),
        *((f"neural.interpolate(a, {size}, mode='{mode}')", (PICTURE,)) for size in SIZES
          for mode in ("nearest", "nearest-exact", "area")),
        *((f"neural.interpolate(a, scale_factor=1.5, mode='{mode}')", (ROW,))
          for mode in ("nearest", "nearest-exact", "linear", "area")),
        *((f"neural.interpolate(a, scale_factor=1.5, mode='{mode}')", (VOLUME,))
          for mode in ("nearest", "nearest-exact", "trilinear", "area")),
        ("neural.interpolate(a, scale_factor=1.7, mode='bilinear', recompute_scale_factor=True)", (PICTURE,)),
        ("neural.interpolate(a, 5, mode='trilinear', align_corners=True)", (VOLUME,)),
        *((f"neural.pad(a, {widths}, '{mode}')", (shape,)) for mode in ("reflect", "replicate", "circular")
          for widths, shape in (("(1, 2)", ROW), ("(2, 1)", (2, 5)), ("(1, 0, 2, 1)", PICTURE),
                                ("(1, 1, 0, 1, 1, 2)", VOLUME))),
        ("neural.pad(a, (-1, 2, 1, -1), 'circular')", (PICTURE,)),
        ("neural.unfold(a, 2)", (PICTURE, PICTURE[1:])),
        ("neural.unfold(a, (2, 3), dilation=(2, 1), padding=1, stride=2)", (PICTURE,)),
        ("neural.fold(a, (3, 4), 2)", ((2, 8, 6), (4, 6))),
        ("neural.fold(a, (3, 3), (2, 1), stride=(1, 2), padding=(0, 1), dilation=(1, 2))", ((1, 4, 6),)),
        ("neural.adaptive_avg_pool2d(a, (2, None))", (PICTURE, PICTURE[1:])),
        ("neural.adaptive_avg_pool3d(a, (2, 1, 3))", (VOLUME, VOLUME[1:])),
        ("neural.adaptive_avg_pool3d(a, 1)", (VOLUME,)),
        ("neural.adaptive_max_pool2d(a, (2, 3))", (PICTURE,)),
        ("neural.adaptive_max_pool3d(a, (2, 1, 3))", (VOLUME, VOLUME[1:])),
        ("neural.lp_pool1d(a * a, 2, 2, stride=1)", (ROW,)),
        ("neural.lp_pool2d(a * a, 3, (2, 3), ceil_mode=True)", (PICTURE,)),
        ("neural.lp_pool3d(a * a, 1.5, 2, stride=1)", (VOLUME,)),
        ("neural.lp_pool2d(a, 1e999, 2)", (PICTURE,)),
        ("neural.lp_pool2d(a, -1e999, 2)", (PICTURE,)),
        ("neural.local_response_norm(a, 2)", (ROW, PICTURE)),
        ("neural.local_response_norm(a, 3, alpha=0.5, beta=1.5, k=2)", (PICTURE, VOLUME)),
        ("neural.max_unpool1d(a, reshape(n[:2], (1, 1, 2)), 2)", ((1, 1, 2),)),
        ("neural.max_unpool2d(a, reshape(n, (1, 1, 1, 3)), 1)", ((1, 1, 1, 3),)),
        ("neural.max_unpool2d(*neural.max_pool2d(a, 2, return_indices=True), 2, output_size=(3, 4))", (PICTURE,)),
        ("neural.max_unpool3d(*neural.max_pool3d(a, (2, 1, 2), return_indices=True), (2, 1, 2))", (VOLUME,)),
    ),
)  # fmt: skip
PICTURES = PICTURES._replace(
    shaped=tuple((text, tuple((shape,) for shape in shapes)) for text, shapes in PICTURES.shaped)
)

FAMILIES = {"pictures": PICTURES}
"""By name, as those of `families`."""
