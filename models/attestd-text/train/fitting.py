"""The two halves of the detector and the ONNX graph that computes the same.

A logistic regression over TF-IDF of hashed n-grams knows turns of phrase, beside those that published.py brings; boosted
trees over style measures know rhythm and punctuation. Their logits are added.
"""

import numpy as np
import onnx
import scipy.sparse as sparse
from onnx import TensorProto, helper, numpy_helper
from scipy.optimize import minimize
from sklearn.ensemble import HistGradientBoostingClassifier

import features
import style

# Inverse strength of the ridge, and most steps of L-BFGS; about 60 are enough.
C = 5.0
STEPS = 100
# How much of what the published detector says is given to the regression over n-grams, which learns what is left.
PUBLISHED_FACTOR = 0.8
# What a text of written.jsonl.gz weighs beside the others: the published detector takes 85 % of them for people's. The open edition, which has none,
# loses nothing by it.
WRITTEN_WEIGHT = 4.0
# An inverse document frequency is kept as one byte: 1 + step * byte, up to 1 + ln(30,000).
IDF_STEP = 0.045
OPSET = 13
TREES_OPSET = 3
TREES = {"max_iter": 150, "max_leaf_nodes": 8, "learning_rate": 0.08, "early_stopping": False, "random_state": 0}
# Share of the trees in the sum, each half over its spread, as it is without the published detector; with it they have less.
TREES_SHARE = 0.25
# Spread of each half's logits over left-out texts, without the published detector; constants, so that every left-out run adds alike.
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


def fit_logistic(matrix, given, labels, weights):
    """Ridge logistic regression by L-BFGS in single precision, beside logits that are `given`; returns coefficients and intercept."""
    weights = (weights / weights.sum() * len(labels)).astype(np.float32)
    signs = (2 * labels - 1).astype(np.float32)
    transposed = matrix.T.tocsr()

    def loss_and_gradient(point):
        coefficients, intercept = point[:-1].astype(np.float32), np.float32(point[-1])
        margin = signs * (matrix @ coefficients + intercept + given)
        loss = (weights * np.logaddexp(0, -margin)).sum() + 0.5 / C * (point[:-1] @ point[:-1])
        pull = -(weights * signs * np.exp(-np.logaddexp(0, margin))).astype(np.float32)
        gradient = transposed @ pull + coefficients / np.float32(C)
        return float(loss), np.append(gradient, pull.sum()).astype(np.float64)

    start = np.zeros(matrix.shape[1] + 1)
    found = minimize(loss_and_gradient, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "maxcor": 6})
    return found.x[:-1].astype(np.float32), float(found.x[-1])


class Model:
    """
    A fitted detector: one byte of idf and one half-precision coefficient for each bucket, an intercept, the trees.

    The mean of two fits, with and without the texts of the mask `written`: each alone finds fewer of the other's kind. `said`: what the
    published detector says of each text.
    """

    def __init__(self, counts, styles, said, labels, cells, written):
        self.idf = byte_idf(counts)
        matrix, fits, self.trees = weigh(counts, self.idf), [], []
        everything = np.ones(len(labels), bool)
        for rows in [everything, ~written] if written.any() else [everything]:
            weights = class_weights(cells[rows]) * np.where(written[rows], WRITTEN_WEIGHT, 1.0)
            fits.append(fit_logistic(matrix[rows], PUBLISHED_FACTOR * said[rows], labels[rows], weights))
            self.trees.append(HistGradientBoostingClassifier(**TREES).fit(styles[rows], labels[rows], weights / weights.mean()))
        coefficients, self.intercept = (np.mean(part, axis=0) for part in zip(*fits))
        self.coefficients = coefficients.astype(np.float16)

    def halves(self, counts, styles, said):
        """Logits of the n-grams, with what is said, and of the trees, as they are."""
        linear = weigh(counts, self.idf) @ self.coefficients.astype(np.float32) + np.float32(self.intercept) + PUBLISHED_FACTOR * said
        return linear, np.mean([trees.decision_function(styles) for trees in self.trees], axis=0)

    def logits(self, counts, styles, said):
        return add(*self.halves(counts, styles, said))


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


def export(model, published, path):
    """
    Writes the graph: bucket indices (int64 [1, n]), counts (float32 [1, n]), style (float32 [1, 64]) and with a `published` detector
    numbers of tokens (int64 [1, n]) in, one logit out.
    """
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
    node("Add", ["both", "intercept"], "linear" if published is None else "learned")
    if published is not None:
        add_published(published, node, constant, initializers)
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
            *([] if published is None else [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])]),
        ],
        [helper.make_tensor_value_info("logit", TensorProto.FLOAT, [1])],
        initializers,
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", TREES_OPSET)], producer_name="attestd")
    proto.ir_version = 8
    onnx.checker.check_model(proto)
    onnx.save(proto, str(path))


def add_published(published, node, constant, initializers):
    """What the published detector says of `input_ids`, added to `learned` as `linear`."""
    lengths = [len(gram) for gram in published.grams]
    starts = np.cumsum([0, *(length * lengths.count(length) for length in range(1, max(lengths)))])
    initializers.extend([
        constant("published_idf", published.idf),
        constant("published_weights", published.weights),
        constant("published_offset", published.offset),
        constant("published_factor", np.float32(PUBLISHED_FACTOR)),
        constant("published_dense", published.dense),
    ])
    node("TfIdfVectorizer", ["input_ids"], "published_counts", mode="TF", min_gram_length=min(lengths), max_gram_length=max(lengths),
         max_skip_count=0, ngram_counts=starts.tolist(), ngram_indexes=list(range(len(lengths))),
         pool_int64s=[number for gram in published.grams for number in gram])
    node("Max", ["published_counts", "one"], "published_once")
    node("Add", [node("Log", ["published_once"], "published_log"), "one"], "published_frequency")
    node("Min", ["published_counts", "one"], "published_there")
    node("Cast", ["published_idf"], "published_idf_float", to=TensorProto.FLOAT)
    node("Cast", ["published_weights"], "published_weights_float", to=TensorProto.FLOAT)
    node("Mul", [node("Mul", ["published_frequency", "published_there"], "published_times"), "published_idf_float"], "published_values")
    node("ReduceSum", [node("Mul", ["published_values", "published_values"], "published_squares")], "published_square", keepdims=0)
    node("Max", [node("Sqrt", ["published_square"], "published_root"), "least"], "published_length")
    node("ReduceSum", [node("Mul", ["published_values", "published_weights_float"], "published_products")], "published_sum", keepdims=0)
    node("Add", [node("Div", ["published_sum", "published_length"], "published_direction"), "published_offset"], "published_logit")
    node("ReduceSum", ["published_there"], "published_found", keepdims=0)
    node("Cast", [node("Size", ["input_ids"], "tokens_whole")], "tokens_found", to=TensorProto.FLOAT)
    node("Max", ["tokens_found", "one"], "tokens")
    node("Min", [node("Div", ["published_found", node("Mul", ["tokens", "published_dense"], "tokens_dense")], "published_share"), "one"], "published_trust")
    node("Mul", [node("Mul", ["published_logit", "published_trust"], "published_said"), "published_factor"], "published_part")
    node("Add", ["learned", "published_part"], "linear")
