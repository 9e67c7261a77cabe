import { message, node, number, onnxFile, tensor, text, value } from './detector-tiny-onnx.js'

// Networks as Hugging Face exports have them: `pixel_values`, `input_values` or tokens in, the `logits` of classes out.

/** Element types of ONNX. */
const FLOAT = 1
const INT64 = 7
/** Types of an attribute. */
const INT = 2
const INTS = 7

/** Field 5 of a node: a number, or a list of them. */
function attribute(name: string, given: number | readonly number[]): Buffer {
  const values = typeof given === 'number' ? [number(3, given)] : given.map((one) => number(8, one))
  return message(5, text(1, name), ...values, number(20, typeof given === 'number' ? INT : INTS))
}

function model(
  nodes: readonly Buffer[],
  constants: readonly Buffer[],
  inputs: readonly Buffer[],
  classes: number,
): Buffer {
  const logits = value(12, 'logits', ['batch', classes])
  return onnxFile(...nodes, text(2, 'tiny'), ...constants, ...inputs, logits)
}

/** `logits[c] = weights[c] . features + bias[c]` */
function classifier(
  features: string,
  weights: readonly (readonly number[])[],
  bias: readonly number[],
): [Buffer, Buffer[]] {
  const columns = (weights[0] ?? []).flatMap((_, row) => weights.map((each) => each[row] as number))
  const constants = [
    tensor('weights', [weights[0]?.length ?? 0, weights.length], columns),
    tensor('bias', [bias.length], [...bias]),
  ]
  return [node('Gemm', [features, 'weights', 'bias'], ['logits']), constants]
}

/** Takes the mean of each color. @param weights one row of three a class */
export function pixelClassifier(
  weights: readonly (readonly [number, number, number])[],
  bias: readonly number[],
): Buffer {
  const [gemm, constants] = classifier('flat', weights, bias)
  const nodes = [node('GlobalAveragePool', ['pixel_values'], ['pooled']), node('Flatten', ['pooled'], ['flat']), gemm]
  return model(nodes, constants, [value(11, 'pixel_values', ['batch', 3, 'height', 'width'])], bias.length)
}

/** Takes the mean square of the samples. @param weights one number a class */
export function waveformClassifier(weights: readonly number[], bias: readonly number[]): Buffer {
  const [gemm, constants] = classifier(
    'power',
    weights.map((weight) => [weight]),
    bias,
  )
  const mean = node('ReduceMean', ['squares'], ['power'], [attribute('axes', [1]), attribute('keepdims', 1)])
  const nodes = [node('Mul', ['input_values', 'input_values'], ['squares']), mean, gemm]
  return model(nodes, constants, [value(11, 'input_values', ['batch', 'samples'])], bias.length)
}

/** Takes the mean of the token ids under the mask. @param weights one number a class */
export function tokenClassifier(weights: readonly number[], bias: readonly number[]): Buffer {
  const [gemm, constants] = classifier(
    'mean',
    weights.map((weight) => [weight]),
    bias,
  )
  const toFloat = [attribute('to', FLOAT)]
  const nodes = [
    node('Mul', ['input_ids', 'attention_mask'], ['masked']),
    node('Cast', ['masked'], ['numbers'], toFloat),
    node('ReduceMean', ['numbers'], ['mean'], [attribute('axes', [1]), attribute('keepdims', 1)]),
    gemm,
  ]
  const inputs = ['input_ids', 'attention_mask'].map((name) => value(11, name, ['batch', 'tokens'], INT64))
  return model(nodes, constants, inputs, bias.length)
}
