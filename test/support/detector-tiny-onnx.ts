// A minimal writer of ONNX files (protobuf by hand), so that tests need neither Python nor a committed binary.
// Field numbers are those of onnx.proto3 (ONNX 1.16, IR version 8).

const VARINT = 0
const BYTES = 2
const FLOAT = 1
const INT64 = 7

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  do {
    const low = rest % 128
    rest = Math.floor(rest / 128)
    bytes.push(rest > 0 ? low + 128 : low)
  } while (rest > 0)
  return Buffer.from(bytes)
}

export const number = (field: number, value: number) => Buffer.concat([varint(field * 8 + VARINT), varint(value)])
const bytes = (field: number, value: Uint8Array) =>
  Buffer.concat([varint(field * 8 + BYTES), varint(value.length), value])
export const text = (field: number, value: string) => bytes(field, Buffer.from(value))
export const message = (field: number, ...parts: Buffer[]) => bytes(field, Buffer.concat(parts))

export function node(operator: string, inputs: string[], outputs: string[], attributes: Buffer[] = []): Buffer {
  return message(
    1,
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, operator),
    ...attributes,
  )
}

export function tensor(name: string, shape: number[], values: number[]): Buffer {
  const raw = Buffer.from(Float32Array.from(values).buffer)
  return message(5, ...shape.map((size) => number(1, size)), number(2, FLOAT), text(8, name), bytes(9, raw))
}

/** A tensor whose numbers are a file of their own. */
export function outerTensor(name: string, shape: number[], file: string): Buffer {
  const location = message(13, text(1, 'location'), text(2, file))
  return message(5, ...shape.map((size) => number(1, size)), number(2, FLOAT), text(8, name), location, number(14, 1))
}

export function value(field: number, name: string, shape: (number | string)[], type = FLOAT): Buffer {
  const dimensions = shape.map((size) => message(1, typeof size === 'number' ? number(1, size) : text(2, size)))
  return message(field, text(1, name), message(2, message(1, number(1, type), message(2, ...dimensions))))
}

/** The file of a graph with these nodes, name, tensors, inputs and outputs. */
export function onnxFile(...graph: Buffer[]): Buffer {
  return Buffer.concat([number(1, 8), text(2, 'attestd-test'), message(7, ...graph), message(8, number(2, 13))])
}

/**
 * A network `logit = weights . mean(pixels of each channel) + bias`, output shape [N, 1].
 * @param outputs how many outputs to give; more than one breaks the contract with the host on purpose
 */
export function tinyOnnx(weights: readonly [number, number, number], bias: number, outputs = 1): Buffer {
  const matrix = weights.flatMap((weight) => Array.from({ length: outputs }, () => weight))
  return onnxFile(
    node('GlobalAveragePool', ['pixels'], ['pooled']),
    node('Flatten', ['pooled'], ['flat']),
    node('Gemm', ['flat', 'weights', 'bias'], ['logit']),
    text(2, 'tiny'),
    tensor('weights', [3, outputs], matrix),
    tensor(
      'bias',
      [outputs],
      Array.from({ length: outputs }, () => bias),
    ),
    value(11, 'pixels', ['n', 3, 'h', 'w']),
    value(12, 'logit', ['n', outputs]),
  )
}

/** A network `logit = gain * mean(|sample|) + bias` over `[1, n]` samples, output shape [1, 1]. */
export function tinySoundOnnx(gain: number, bias: number): Buffer {
  return onnxFile(
    node('Abs', ['samples'], ['magnitudes']),
    node('ReduceMean', ['magnitudes'], ['loudness']),
    node('Mul', ['loudness', 'gain'], ['scaled']),
    node('Add', ['scaled', 'bias'], ['logit']),
    text(2, 'tiny-sound'),
    tensor('gain', [1], [gain]),
    tensor('bias', [1], [bias]),
    value(11, 'samples', [1, 'n']),
    value(12, 'logit', [1, 1]),
  )
}

/** The tiny network with a constant of `size` floats in its sum: a file of some hundred bytes that takes `4 * size` of memory. */
export function bloatedOnnx(size: number): Buffer {
  const shape = message(
    5,
    number(1, 1),
    number(2, INT64),
    text(8, 'size'),
    bytes(9, new Uint8Array(new BigInt64Array([BigInt(size)]).buffer)),
  )
  return onnxFile(
    node('ConstantOfShape', ['size'], ['zeros']),
    node('ReduceMean', ['zeros'], ['zero']),
    node('GlobalAveragePool', ['pixels'], ['pooled']),
    node('Flatten', ['pooled'], ['flat']),
    node('ReduceMean', ['flat'], ['mean']),
    node('Add', ['mean', 'zero'], ['logit']),
    text(2, 'bloated'),
    shape,
    value(11, 'pixels', ['n', 3, 'h', 'w']),
    value(12, 'logit', ['n', 1]),
  )
}

/**
 * A view that draws `[1, n]` samples as a square of one color, `pixels = mean(|sample|) * tints`, and gives that mean too, as
 * `loudness`.
 * @param side of the square, px
 * @param pixels name of that output; another one breaks the contract with the host on purpose
 */
export function tinyViewOnnx(tints: readonly [number, number, number], side: number, pixels = 'pixels'): Buffer {
  const canvas = tints.flatMap((tint) => Array.from({ length: side * side }, () => tint))
  return onnxFile(
    node('Abs', ['samples'], ['magnitudes']),
    node('ReduceMean', ['magnitudes'], ['loudness']),
    node('Mul', ['loudness', 'canvas'], [pixels]),
    text(2, 'tiny-view'),
    tensor('canvas', [1, 3, side, side], canvas),
    value(11, 'samples', [1, 'n']),
    value(12, 'loudness', [1, 1]),
    value(12, pixels, [1, 3, side, side]),
  )
}

/** A network for squares of one size, `features = scale * mean(pixels of each channel)`, and as `logit` the sum of these. */
export function tinyEncoderOnnx(scale: number, side: number): Buffer {
  return onnxFile(
    node('GlobalAveragePool', ['pixels'], ['pooled']),
    node('Flatten', ['pooled'], ['flat']),
    node('Mul', ['flat', 'scale'], ['features']),
    node('MatMul', ['features', 'ones'], ['logit']),
    text(2, 'tiny-encoder'),
    tensor('scale', [1], [scale]),
    tensor('ones', [3, 1], [1, 1, 1]),
    value(11, 'pixels', [1, 3, side, side]),
    value(12, 'logit', [1, 1]),
    value(12, 'features', [1, 3]),
  )
}

/** A head over frames, `logit = gain * mean(features of all frames) + bias`. @param input its name; another breaks the contract */
export function tinyHeadOnnx(gain: number, bias: number, input = 'features'): Buffer {
  return onnxFile(
    node('ReduceMean', [input], ['mean']),
    node('Mul', ['mean', 'gain'], ['scaled']),
    node('Add', ['scaled', 'bias'], ['logit']),
    text(2, 'tiny-head'),
    tensor('gain', [1], [gain]),
    tensor('bias', [1], [bias]),
    value(11, input, ['frames', 3]),
    value(12, 'logit', [1, 1]),
  )
}

/**
 * A network `logit = weights . features + gain * loudness + bias`.
 * @param inputs their names; others break the contract with the host on purpose
 */
export function tinyEncodedOnnx(
  { weights, gain, bias }: { weights: readonly [number, number, number]; gain: number; bias: number },
  [features, loudness]: readonly [string, string] = ['features', 'loudness'],
): Buffer {
  return onnxFile(
    node('Gemm', [features, 'weights', 'bias'], ['seen']),
    node('Mul', [loudness, 'gain'], ['heard']),
    node('Add', ['seen', 'heard'], ['logit']),
    text(2, 'tiny-encoded'),
    tensor('weights', [3, 1], [...weights]),
    tensor('bias', [1], [bias]),
    tensor('gain', [1], [gain]),
    value(11, features, [1, 3]),
    value(11, loudness, [1, 1]),
    value(12, 'logit', [1, 1]),
  )
}
