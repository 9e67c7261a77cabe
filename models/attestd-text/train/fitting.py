"""The two halves of the detector and the ONNX graph that computes the same.

A logistic regression over TF-IDF of hashed n-grams knows turns of phrase, and with it what teacher.py knows of them; boosted
trees over style measures know rhythm and punctuation. Their logits, each over its own spread, are added.
"""

import numpy as np
import onnx
import scipy.sparse as sparse
from onnx import TensorProto, helper, numpy_helper
from scipy.optimize import minimize
from scipy.sparse.linalg import lsqr
from sklearn.ensemble import HistGradientBoostingClassifier

import features
import style

# Inverse strength of the ridge, and most steps of L-BFGS; about 60 are enough.
C = 5.0
STEPS = 100
# The fit to what the teacher says: its ridge, most steps of LSQR, and how much it adds to the fit to the labels.
TEACHER_RIDGE = 0.3
TEACHER_STEPS = 60
TEACHER_FACTOR = 1.6
# An inverse document frequency is kept as one byte: 1 + step * byte, up to 1 + ln(30,000).
IDF_STEP = 0.045
OPSET = 13
TREES_OPSET = 3
TREES = {"max_iter": 150, "max_leaf_nodes": 8, "learning_rate": 0.08, "early_stopping": False, "random_state": 0}
# Share of the trees in the sum, each half over its spread.
TREES_SHARE = 0.25
# Spread of each half's logits over left-out texts (train.py prints it); constants, so that every left-out run adds alike.
LINEAR_SPREAD = 1.5
TREES_SPREAD = 1.6
LINEAR_FACTOR = (1 - TREES_SHARE) / LINEAR_SPREAD
TREES_FACTOR = TREES_SHARE / TREES_SPREAD


def class_weights(cells):
    """Rows of one source, domain and label count by the square root of their number."""
    _, which, count = np.unique(cells, return_inverse=True, return_counts=True)
    return 1 / np.sqrt(count[which])


def byte_idf(counts):
    """Smoothed inverse document frequency of each bucket, as bytes."""
    documents = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.log((1 + counts.shape[0]) / (1 + documents))
    return np.minimum(np.round(idf / IDF_STEP), 255).astype(np.uint8)


def weigh(counts, idf):
    """Sublinear term frequency times inverse document frequency; characters and words each of length 1."""
    values = (1 + np.log(counts.data)) * (1 + IDF_STEP * idf[counts.indices].astype(np.float32))
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    half = rows * 2 + (counts.indices >= features.BUCKETS)
    lengths = np.sqrt(np.bincount(half, values.astype(np.float64) ** 2, minlength=2 * counts.shape[0]))
    values = (values / np.maximum(lengths, 1e-9)[half]).astype(np.float32)
    return sparse.csr_matrix((values, counts.indices, counts.indptr), shape=counts.shape)


def fit_logistic(matrix, labels, weights):
    """Ridge logistic regression by L-BFGS in single precision; returns coefficients and intercept."""
    weights = (weights / weights.sum() * len(labels)).astype(np.float32)
    signs = (2 * labels - 1).astype(np.float32)
    transposed = matrix.T.tocsr()

    def loss_and_gradient(point):
        coefficients, intercept = point[:-1].astype(np.float32), np.float32(point[-1])
        margin = signs * (matrix @ coefficients + intercept)
        loss = (weights * np.logaddexp(0, -margin)).sum() + 0.5 / C * (point[:-1] @ point[:-1])
        pull = -(weights * signs * np.exp(-np.logaddexp(0, margin))).astype(np.float32)
        gradient = transposed @ pull + coefficients / np.float32(C)
        return float(loss), np.append(gradient, pull.sum()).astype(np.float64)

    start = np.zeros(matrix.shape[1] + 1)
    found = minimize(loss_and_gradient, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "maxcor": 6})
    return found.x[:-1].astype(np.float32), float(found.x[-1])


def fit_teacher(matrix, opinions):
    """Ridge regression to the logits that the teacher gives; returns coefficients and intercept."""
    middle = opinions.mean()
    found, *_ = lsqr(matrix, opinions - middle, damp=TEACHER_RIDGE**0.5, iter_lim=TEACHER_STEPS)
    return found.astype(np.float32), float(middle)


class Model:
    """
    A fitted detector: one byte of idf and one half-precision coefficient for each bucket, an intercept, the trees.

    The mean of two fits, with and without the texts of the mask `written`: each alone finds fewer of the other's kind. `told`: counts
    of texts and the teacher's logits of them, where it is learned from.
    """

    def __init__(self, counts, styles, labels, cells, written, told=None):
        self.idf = byte_idf(counts)
        matrix, fits, self.trees = weigh(counts, self.idf), [], []
        everything = np.ones(len(labels), bool)
        for rows in [everything, ~written] if written.any() else [everything]:
            weights = class_weights(cells[rows])
            fits.append(fit_logistic(matrix[rows], labels[rows], weights))
            self.trees.append(HistGradientBoostingClassifier(**TREES).fit(styles[rows], labels[rows], weights / weights.mean()))
        coefficients, self.intercept = (np.mean(part, axis=0) for part in zip(*fits))
        if told is not None:
            more, offset = fit_teacher(weigh(told[0], self.idf), told[1])
            coefficients, self.intercept = coefficients + TEACHER_FACTOR * more, self.intercept + TEACHER_FACTOR * offset
        self.coefficients = coefficients.astype(np.float16)

    def halves(self, counts, styles):
        """Logits of the n-grams and of the trees, as they are."""
        linear = weigh(counts, self.idf) @ self.coefficients.astype(np.float32) + np.float32(self.intercept)
        return linear, np.mean([trees.decision_function(styles) for trees in self.trees], axis=0)

    def logits(self, counts, styles):
        return add(*self.halves(counts, styles))


def add(linear, trees):
    """The logit of a text from those of its halves."""
    return LINEAR_FACTOR * linear + TREES_FACTOR * trees


def tree_attributes(fits):
    """The nodes of the boosted trees, the mean over the fits, as the attributes of TreeEnsembleRegressor."""
    columns = {name: [] for name in (
        "nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_values", "nodes_modes", "nodes_truenodeids",
        "nodes_falsenodeids", "target_treeids", "target_nodeids", "target_ids", "target_weights",
    )}
    for tree, (predictor,) in enumerate(predictor for fit in fits for predictor in fit._predictors):
        for number, node in enumerate(predictor.nodes):
            leaf = bool(node["is_leaf"])
            row = (tree, number, 0 if leaf else int(node["feature_idx"]), 0.0 if leaf else float(node["num_threshold"]),
                   "LEAF" if leaf else "BRANCH_LEQ", 0 if leaf else int(node["left"]), 0 if leaf else int(node["right"]))
            for name, value in zip(list(columns)[:7], row):
                columns[name].append(value)
            if leaf:
                for name, value in zip(list(columns)[7:], (tree, number, 0, float(node["value"]) / len(fits))):
                    columns[name].append(value)
    base = float(np.mean([fit._baseline_prediction.ravel()[0] for fit in fits]))
    return {**columns, "n_targets": 1, "base_values": [base]}


def export(model, path):
    """Writes the graph: bucket indices (int64 [1, n]), counts (float32 [1, n]) and style (float32 [1, 64]) in, one logit out."""
    def constant(name, value):
        return numpy_helper.from_array(np.asarray(value), name)

    initializers = [
        constant("flat", np.array([-1], np.int64)),
        constant("idf_bytes", model.idf),
        constant("coefficients", model.coefficients),
        constant("buckets", np.array(features.BUCKETS, np.int64)),
        constant("one", np.float32(1)),
        constant("idf_step", np.float32(IDF_STEP)),
        constant("least", np.float32(1e-9)),
        constant("intercept", np.array([model.intercept], np.float32)),
        constant("linear_factor", np.float32(LINEAR_FACTOR)),
        constant("trees_factor", np.float32(TREES_FACTOR)),
    ]
    nodes = []

    def node(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    node("Reshape", ["index", "flat"], "at")
    node("Reshape", ["count", "flat"], "times")
    node("Cast", [node("Gather", ["idf_bytes", "at"], "idf_byte")], "idf_float", to=TensorProto.FLOAT)
    node("Add", [node("Mul", ["idf_float", "idf_step"], "idf_over"), "one"], "idf")
    node("Add", [node("Log", ["times"], "log_times"), "one"], "frequency")
    node("Mul", ["frequency", "idf"], "value")
    node("Cast", [node("Gather", ["coefficients", "at"], "coefficient_half")], "coefficient", to=TensorProto.FLOAT)
    node("Mul", ["value", "value"], "square")
    node("Mul", ["value", "coefficient"], "product")
    node("Less", ["at", "buckets"], "is_character")
    node("Cast", ["is_character"], "characters", to=TensorProto.FLOAT)
    node("Sub", ["one", "characters"], "words")
    for half in ("characters", "words"):
        node("ReduceSum", [node("Mul", ["square", half], f"{half}_square")], f"{half}_squares", keepdims=0)
        node("Max", [node("Sqrt", [f"{half}_squares"], f"{half}_root"), "least"], f"{half}_length")
        node("ReduceSum", [node("Mul", ["product", half], f"{half}_product")], f"{half}_sum", keepdims=0)
        node("Div", [f"{half}_sum", f"{half}_length"], f"{half}_logit")
    node("Add", ["characters_logit", "words_logit"], "both")
    node("Add", ["both", "intercept"], "linear")
    node("TreeEnsembleRegressor", ["style"], "trees_row", domain="ai.onnx.ml", **tree_attributes(model.trees))
    node("Reshape", ["trees_row", "flat"], "trees")
    node("Mul", ["linear", "linear_factor"], "linear_part")
    node("Mul", ["trees", "trees_factor"], "trees_part")
    node("Add", ["linear_part", "trees_part"], "logit")
    graph = helper.make_graph(
        nodes, "attestd-text",
        [
            helper.make_tensor_value_info("index", TensorProto.INT64, [1, "n"]),
            helper.make_tensor_value_info("count", TensorProto.FLOAT, [1, "n"]),
            helper.make_tensor_value_info("style", TensorProto.FLOAT, [1, style.COUNT]),
        ],
        [helper.make_tensor_value_info("logit", TensorProto.FLOAT, [1])],
        initializers,
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", TREES_OPSET)], producer_name="attestd")
    proto.ir_version = 8
    onnx.checker.check_model(proto)
    onnx.save(proto, str(path))
