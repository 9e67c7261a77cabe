"""Makes the input of a RetinaFace export take any height and width; the weights stay as they are.

    python3 dynamic_faces.py FIXED.onnx FACES.onnx

faces.onnx was made so from `mnet.25_v2` of npm `retinaface` 0.0.6, whose input is 640 x 640.
"""

import sys

import onnx


def free(dimension, name):
    dimension.ClearField("dim_value")
    dimension.dim_param = name


def main(source, target):
    model = onnx.load(source)
    shape = model.graph.input[0].type.tensor_type.shape.dim
    free(shape[2], "height")
    free(shape[3], "width")
    for output in model.graph.output:
        # The stride ends the name of each output, so that those of one level share their sizes.
        shape = output.type.tensor_type.shape.dim
        free(shape[2], f"h{output.name[-2:]}")
        free(shape[3], f"w{output.name[-2:]}")
    del model.graph.value_info[:]
    onnx.save(model, target)


if __name__ == "__main__":
    main(*sys.argv[1:])
