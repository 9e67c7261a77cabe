"""The head: what is fitted over the mean of the frames' features, with what attestd-image says of the pictures beside it."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import encoder
import heads
from seen import IMAGES

FILE = 'head.onnx'
# Strength of the fit, the power of its number by which a unit weighs, and how much the pictures' logit counts in a comparison.
STRENGTH, POWER, BESIDE = 3.0, 0.1, 0.1


class Head:
    """Fitted on the mean features and the mean picture logits of clips."""

    def __init__(self, means, pictures, made, weights, beside=BESIDE):
        self.center, self.spread = means.mean(0), means.std(0) + 1e-3
        self.middle, self.width = pictures.mean(), pictures.std()
        places, said = self.placed(means), (pictures - self.middle) / self.width
        kernel = (1 + places @ places.T) / 2 + beside * np.outer(said, said)
        share, offset = heads.regression(kernel, made.astype(float), weights * len(made) * STRENGTH)
        # A kernel of products: the shares of the clips become one weight for each feature.
        self.linear, self.beside = (share @ places) / 2, beside * (share @ said) / self.width
        self.offset = offset + share.sum() / 2 - self.beside * self.middle

    def placed(self, means):
        return heads.unit((means - self.center) / self.spread)

    def logits(self, means, pictures):
        return self.placed(means) @ self.linear + self.beside * pictures + self.offset


def picture_logits(graph, features, images):
    """The logit of each frame, [frames, 1]: the nodes of the head of the package of pictures, kept in the package's own file."""
    of = onnx.load(images / 'head.onnx').graph
    stored = {each.name: numpy_helper.to_array(each) for each in of.initializer}
    last, names = features, {'features': features}
    for node in of.node:
        # What follows makes one number of the only picture.
        if node.op_type == 'Reshape':
            break
        inputs = [names[name] if name in names else graph.const(stored[name]) for name in node.input]
        fields = {field.name: helper.get_attribute_value(field) for field in node.attribute}
        last = names[node.output[0]] = graph.node(node.op_type, *inputs, **fields)
    return last


def export(folder, head, line, images=IMAGES):
    """Writes the head as the daemon runs it, its logit brought on a line (slope, intercept): `features` [frames, n] to `logit` [1]."""
    slope, intercept = line
    graph = encoder.Graph()

    def over_frames(values):
        return graph.node('ReduceMean', values, graph.whole([0]), keepdims=1)

    mean = over_frames('features')
    standard = graph.node('Mul', graph.node('Sub', mean, graph.floats(head.center)), graph.floats(1 / head.spread))
    place = graph.node('LpNormalization', standard, axis=1, p=2)
    own = graph.node('MatMul', place, graph.floats(slope * head.linear[:, None]))
    beside = graph.node('Mul', over_frames(picture_logits(graph, 'features', images)), graph.floats([[slope * head.beside]]))
    logit = graph.node('Add', graph.node('Add', own, beside), graph.floats([[slope * head.offset + intercept]]))
    graph.nodes.append(helper.make_node('Reshape', [logit, graph.whole([1])], ['logit']))
    given = helper.make_tensor_value_info('features', TensorProto.FLOAT, ['frames', len(head.center)])
    gives = helper.make_tensor_value_info('logit', TensorProto.FLOAT, [1])
    model = helper.make_model(helper.make_graph(graph.nodes, 'head', [given], [gives], graph.stored), opset_imports=[helper.make_opsetid('', 18)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    (folder / FILE).write_bytes(model.SerializeToString())
