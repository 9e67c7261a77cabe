import { message, node, number, onnxFile, outerTensor, tensor, text, value } from './detector-tiny-onnx.js'

// Networks as Hugging Face exports have them: `pixel_values`, `input_values` or tokens in, the `logits` of classes out.

/** Element types of ONNX. */
const FLOAT = 1
const INT64 = 7
/** Other types of `pixelClassifier`. */
export const UINT8 = 2
export const FLOAT16 = 10
/** The other type of `tokenClassifier`. */
export const INT32 = 6
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
  type = FLOAT,
): Buffer {
  const logits = value(12, 'logits', ['batch', classes], type)
  return onnxFile(...nodes, text(2, 'tiny'), ...constants, ...inputs, logits)
}

/** `logits[c] = weights[c] . features + bias[c]` */
function classifier(
  features: string,
  weights: readonly (readonly number[])[],
  bias: readonly number[],
  output = 'logits',
): [Buffer, Buffer[]] {
  const columns = (weights[0] ?? []).flatMap((_, row) => weights.map((each) => each[row] as number))
  const constants = [
    tensor('weights', [weights[0]?.length ?? 0, weights.length], columns),
    tensor('bias', [bias.length], [...bias]),
  ]
  return [node('Gemm', [features, 'weights', 'bias'], [output]), constants]
}

/** Takes the mean of each color. @param weights one row of three a class @param type of the pixels; halves give halves @param end what its logits become @param order of the dimensions of its input as it takes them */
export function pixelClassifier(
  weights: readonly (readonly [number, number, number])[],
  bias: readonly number[],
  type = FLOAT,
  end: 'Identity' | 'Sigmoid' | 'Softmax' = 'Identity',
  order: readonly number[] = [0, 1, 2, 3],
): Buffer {
  const [gemm, constants] = classifier('flat', weights, bias, 'sums')
  const nodes = [
    node('Cast', ['pixel_values'], ['floats'], [attribute('to', FLOAT)]),
    node('Transpose', ['floats'], ['ordered'], [attribute('perm', order)]),
    node('GlobalAveragePool', ['ordered'], ['pooled']),
    node('Flatten', ['pooled'], ['flat']),
    gemm,
    node(end, ['sums'], ['ended']),
    node('Cast', ['ended'], ['logits'], [attribute('to', type === FLOAT16 ? FLOAT16 : FLOAT)]),
  ]
  const pixels = value(11, 'pixel_values', ['batch', order[1] === 1 ? 3 : 'free', 'height', 'width'], type)
  return model(nodes, constants, [pixels], bias.length, type === FLOAT16 ? FLOAT16 : FLOAT)
}

/** The same with its weights in another file: both contents. */
export function splitPixelClassifier(
  weights: readonly (readonly [number, number, number])[],
  bias: readonly number[],
  file: string,
): { model: Buffer; data: Buffer } {
  const columns = [0, 1, 2].flatMap((row) => weights.map((each) => each[row] as number))
  const constants = [outerTensor('weights', [3, weights.length], file), tensor('bias', [bias.length], [...bias])]
  const nodes = [
    node('GlobalAveragePool', ['pixel_values'], ['pooled']),
    node('Flatten', ['pooled'], ['flat']),
    node('Gemm', ['flat', 'weights', 'bias'], ['logits']),
  ]
  const pixels = value(11, 'pixel_values', ['batch', 3, 'height', 'width'])
  const split = model(nodes, constants, [pixels], bias.length)
  return { model: split, data: Buffer.from(Float32Array.from(columns).buffer) }
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

/** Takes the mean square of the samples times the share that the mask leaves. @param weights one number a class */
export function maskedWaveformClassifier(weights: readonly number[], bias: readonly number[]): Buffer {
  const [gemm, constants] = classifier(
    'heard',
    weights.map((weight) => [weight]),
    bias,
  )
  const ofAll = [attribute('axes', [1]), attribute('keepdims', 1)]
  const nodes = [
    node('Mul', ['input_values', 'input_values'], ['squares']),
    node('ReduceMean', ['squares'], ['power'], ofAll),
    node('Cast', ['attention_mask'], ['mask'], [attribute('to', FLOAT)]),
    node('ReduceMean', ['mask'], ['share'], ofAll),
    node('Mul', ['power', 'share'], ['heard']),
    gemm,
  ]
  const inputs = [
    value(11, 'attention_mask', ['batch', 'samples'], INT64),
    value(11, 'input_values', ['batch', 'samples']),
  ]
  return model(nodes, constants, inputs, bias.length)
}

/** Takes the mean of the token ids under the mask. @param weights one number a class */
export function tokenClassifier(weights: readonly number[], bias: readonly number[], type = INT64): Buffer {
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
  const inputs = ['input_ids', 'attention_mask'].map((name) => value(11, name, ['batch', 'tokens'], type))
  return model(nodes, constants, inputs, bias.length)
}
