/** Operations whose result is still a probability, or a multiple of one, where they take one. */
const PASSING =
  `Identity Cast Reshape Squeeze Unsqueeze Flatten Transpose QuantizeLinear DequantizeLinear Clip Min Max Round
  Concat Split Slice Gather Sub Mul Div Normalizer`.split(/\s+/)

/**
 * The operation that makes what a network returns a probability, such as `Softmax`; null where none does.
 * @param onnx bytes of an ONNX file that was loaded before; field numbers are those of onnx.proto
 */
export function probabilityOperation(onnx: Uint8Array, output: string): string | null {
  const nodes = fieldsOf(onnx, 7)
    .flatMap((graph) => fieldsOf(graph, 1))
    .map((node) => ({ takes: textsOf(node, 1), gives: textsOf(node, 2), operation: textsOf(node, 4)[0] ?? '' }))
  const makers = new Map(nodes.flatMap((node) => node.gives.map((name) => [name, node] as const)))
  const left = [output]
  for (const name of left) {
    const { operation, takes } = makers.get(name) ?? { operation: '', takes: [] }
    if (/^Softmax$|(?:Sigmoid|Classifier)$/.test(operation)) return operation
    // A softmax as JAX writes it.
    if (operation === 'Div' && makers.get(takes[0] ?? '')?.operation === 'Exp') return 'Softmax'
    if (PASSING.includes(operation)) left.push(...takes.filter((taken) => !left.includes(taken)))
  }
  return null
}

/** By which names a model refers to weights in other files of its folder. @param onnx as of `probabilityOperation` */
export function outerFiles(onnx: Uint8Array): string[] {
  const entries = fieldsOf(onnx, 7)
    .flatMap((graph) => fieldsOf(graph, 5))
    .flatMap((tensor) => fieldsOf(tensor, 13))
  const places = entries.filter((entry) => textsOf(entry, 1)[0] === 'location')
  return [...new Set(places.flatMap((entry) => textsOf(entry, 2)))]
}

const textsOf = (message: Uint8Array, field: number): string[] =>
  fieldsOf(message, field).map((bytes) => Buffer.from(bytes).toString('utf8'))

/** The bytes of each field of this number in a Protocol Buffers message. */
function fieldsOf(message: Uint8Array, wanted: number): Uint8Array[] {
  const found: Uint8Array[] = []
  let at = 0
  const next = (): number => {
    let value = 0
    for (let scale = 1; at < message.length; scale *= 128) {
      const byte = message[at++] as number
      value += (byte % 128) * scale
      if (byte < 128) break
    }
    return value
  }
  while (at < message.length) {
    const key = next()
    const wire = key % 8
    if (wire === 0) next()
    else {
      const length = wire === 2 ? next() : wire === 1 ? 8 : 4
      if (Math.floor(key / 8) === wanted) found.push(message.subarray(at, at + length))
      at += length
    }
  }
  return found
}
