import { describe, expect, it } from 'vitest'
import type { ModelInput } from '../../../src/detect/contract/medium-reader.js'
import {
  checkTensors,
  decodeReply,
  encodeRequest,
  JSON_LENGTH_HEADER,
  modelFacts,
  serverFacts,
  takesBinary,
} from '../../../src/detect/runtimes/inference-protocol.js'
import { withReason } from '../../support/with-reason.js'

const PIXELS: ModelInput = { type: 'float32', values: Float32Array.of(0.1, -2), shape: [1, 2] }
const IDS: ModelInput = { type: 'int64', values: BigInt64Array.of(5n, -7n), shape: [1, 2] }

describe('a request', () => {
  it('in JSON contains numbers that read back equal', () => {
    const { headers, body } = encodeRequest(['a', 'b'], [PIXELS, IDS], 'y', false)
    expect(headers).toEqual({ 'content-type': 'application/json' })
    expect(JSON.parse(body.toString())).toEqual({
      inputs: [
        { name: 'a', datatype: 'FP32', shape: [1, 2], data: [Math.fround(0.1), -2] },
        { name: 'b', datatype: 'INT64', shape: [1, 2], data: [5, -7] },
      ],
      outputs: [{ name: 'y' }],
    })
  })

  it('in binary has the tensors after the JSON, little-endian, in the order of the inputs', () => {
    const { headers, body } = encodeRequest(['a', 'b'], [PIXELS, IDS], 'y', true)
    const length = Number(headers[JSON_LENGTH_HEADER])
    const { inputs, outputs } = JSON.parse(body.subarray(0, length).toString())
    expect(inputs).toEqual([
      { name: 'a', datatype: 'FP32', shape: [1, 2], parameters: { binary_data_size: 8 } },
      { name: 'b', datatype: 'INT64', shape: [1, 2], parameters: { binary_data_size: 16 } },
    ])
    expect(outputs).toEqual([{ name: 'y', parameters: { binary_data: true } }])
    const raw = body.subarray(length)
    expect([raw.readFloatLE(0), raw.readFloatLE(4)]).toEqual([Math.fround(0.1), -2])
    expect([raw.readBigInt64LE(8), raw.readBigInt64LE(16)]).toEqual([5n, -7n])
    expect(raw).toHaveLength(24)
  })

  it('with a view on a larger buffer sends the view only', () => {
    const values = Float32Array.of(1, 2, 3, 4).subarray(1, 3)
    const { headers, body } = encodeRequest(['a'], [{ type: 'float32', values, shape: [2] }], 'y', true)
    const raw = body.subarray(Number(headers[JSON_LENGTH_HEADER]))
    expect([raw.length, raw.readFloatLE(0), raw.readFloatLE(4)]).toEqual([8, 2, 3])
  })

  it.each([[['a'], [PIXELS, IDS]] as const, [['a', 'b'], [PIXELS]] as const])(
    'is not created where the model takes %j and the media has another number',
    (names, inputs) => {
      expect(() => encodeRequest(names, inputs, 'y', false)).toThrow(withReason('detector-failed'))
    },
  )
})

describe('an answer', () => {
  const tensor = (fields: object = {}) => ({ name: 'y', datatype: 'FP32', shape: [2], ...fields })
  const inJson = (...outputs: object[]) => decodeReply(Buffer.from(JSON.stringify({ outputs })), null, 'y')
  const inBinary = (raw: Buffer, ...outputs: object[]) => {
    const json = Buffer.from(JSON.stringify({ outputs }))
    return decodeReply(Buffer.concat([json, raw]), String(json.length), 'y')
  }
  const floats = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer)
  const sized = (binary_data_size: number, fields: object = {}) =>
    tensor({ parameters: { binary_data_size }, ...fields })

  it.each([
    ['in a row', [1, 2, 3, 4]],
    [
      'nested by its dimensions',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['nested otherwise', [[1], [2, [3, 4]]]],
  ])('of JSON numbers %s', (_, data) => {
    expect([...inJson(tensor({ shape: [2, 2], data }))]).toEqual([1, 2, 3, 4])
  })

  it('is found by its name among others, also after binary ones', () => {
    expect([...inJson(tensor({ name: 'x', data: [9, 9] }), tensor({ data: [1, 2] }))]).toEqual([1, 2])
    const raw = Buffer.concat([Buffer.alloc(5, 7), floats(0.5, -1)])
    expect([...inBinary(raw, sized(5, { name: 'x', datatype: 'UINT8' }), sized(8))]).toEqual([0.5, -1])
  })

  it('of double precision becomes single', () => {
    const raw = Buffer.alloc(8)
    raw.writeDoubleLE(0.1)
    expect([...inBinary(raw, sized(8, { datatype: 'FP64', shape: [1] }))]).toEqual([Math.fround(0.1)])
  })

  it('must have a number, and may have no dimensions', () => {
    expect(inJson(tensor({ shape: [0], data: [] }))).toHaveLength(0)
    expect([...inJson(tensor({ shape: [], data: [3] }))]).toEqual([3])
  })

  it.each<[string, () => unknown, RegExp]>([
    ['no JSON', () => decodeReply(Buffer.from('oops'), null, 'y'), /it is not JSON/],
    ['no bytes', () => decodeReply(Buffer.alloc(0), null, 'y'), /it is not JSON/],
    ['no outputs', () => decodeReply(Buffer.from('{}'), null, 'y'), /wrong at outputs/],
    ['no such output', () => inJson(tensor({ name: 'x', data: [1, 2] })), /no output y/],
    [
      'too many outputs',
      () => inJson(...Array.from({ length: 65 }, () => tensor({ data: [1, 2] }))),
      /wrong at outputs/,
    ],
    ['another type', () => inJson(tensor({ datatype: 'INT64', data: [1, 2] })), /of type INT64/],
    ['a number too few', () => inJson(tensor({ data: [1] })), /has 1 numbers, its shape states 2/],
    ['a number too many', () => inJson(tensor({ data: [1, 2, 3] })), /has 3 numbers/],
    ['a negative side', () => inJson(tensor({ shape: [-2], data: [1, 2] })), /wrong at outputs\.0\.shape/],
    ['half a side', () => inJson(tensor({ shape: [0.5], data: [1] })), /wrong at outputs\.0\.shape/],
    ['nine dimensions', () => inJson(tensor({ shape: Array(9).fill(1), data: [1] })), /wrong at outputs\.0\.shape/],
    ['a word among its numbers', () => inJson(tensor({ data: [1, 'NaN'] })), /wrong at outputs\.0/],
    ['no numbers', () => inJson(tensor()), /has 0 numbers/],
    ['a tensor that is cut', () => inBinary(floats(1), sized(8)), /ends within a tensor/],
    ['half a number', () => inBinary(Buffer.alloc(6), sized(6)), /ends within a number/],
    ['a negative size', () => inBinary(floats(1, 2), sized(-8)), /wrong at outputs\.0\.parameters/],
  ])('of %s is refused', (_, decode, message) => {
    expect(decode).toThrow(withReason('detector-failed'))
    expect(decode).toThrow(message)
  })

  it('of endlessly nested numbers is refused', () => {
    const deep = `${'['.repeat(100_000)}1${']'.repeat(100_000)}`
    const reply = `{"outputs":[{"name":"y","datatype":"FP32","shape":[1],"data":${deep}}]}`
    expect(() => decodeReply(Buffer.from(reply), null, 'y')).toThrow(/malformed answer: wrong at outputs.0/)
  })

  it.each(['-1', '1.5', '9999', 'x', 'NaN'])('whose JSON has a stated length of %s bytes is refused', (length) => {
    const body = Buffer.from(JSON.stringify({ outputs: [tensor({ data: [1, 2] })] }))
    expect(() => decodeReply(body, length, 'y')).toThrow(/length of its JSON is wrong/)
  })
})

describe('the metadata of a model', () => {
  const facts = (inputs: [string, string][], outputs: [string, string][]) => {
    const tensors = (pairs: [string, string][]) => pairs.map(([name, datatype]) => ({ name, datatype }))
    return modelFacts.parse({ inputs: tensors(inputs), outputs: tensors(outputs) })
  }
  const named = { input: ['a', 'b'], output: 'y' }

  it.each(['FP32', 'FP64'])('fits with an output of %s, and further tensors are ignored', (datatype) => {
    const stated = facts(
      [
        ['b', 'INT64'],
        ['a', 'FP32'],
        ['c', 'BYTES'],
      ],
      [
        ['x', 'BYTES'],
        ['y', datatype],
      ],
    )
    expect(() => checkTensors(stated, named, { id: 'far', width: 1 })).not.toThrow()
  })

  it.each<[[string, string][], [string, string][], RegExp]>([
    [[['a', 'FP32']], [['y', 'FP32']], /runtime\.input: is b, but the model has a/],
    [
      [
        ['a', 'FP16'],
        ['b', 'INT64'],
      ],
      [['y', 'FP32']],
      /runtime\.input: is of type FP16/,
    ],
    [
      [
        ['a', 'FP32'],
        ['b', 'INT64'],
      ],
      [['z', 'FP32']],
      /runtime\.output: is y, but the model has z/,
    ],
    [
      [
        ['a', 'FP32'],
        ['b', 'INT64'],
      ],
      [['y', 'INT64']],
      /runtime\.output: is of type INT64/,
    ],
  ])('is refused with inputs %j and outputs %j', (inputs, outputs, message) => {
    const check = () => checkTensors(facts(inputs, outputs), named, { id: 'far', width: 1 })
    expect(check).toThrow(withReason('manifest-invalid'))
    expect(check).toThrow(message)
  })

  it.each([
    [[-1, 4], 2, /classes: expects an output of width 2, the model returns 4/],
    [[2], 1, /outputKind: expects an output of width 1, the model returns 2/],
  ])('is refused with an output of the shape %j for %d numbers', (shape, width, message) => {
    const stated = modelFacts.parse({
      inputs: named.input.map((name) => ({ name, datatype: 'FP32' })),
      outputs: [{ name: 'y', datatype: 'FP32', shape }],
    })
    expect(() => checkTensors(stated, named, { id: 'far', width })).toThrow(message)
    expect(() => checkTensors(stated, named, { id: 'far', width: null })).not.toThrow()
  })

  it('states whether its server accepts binary tensors', () => {
    expect(takesBinary(serverFacts.parse({ extensions: ['x', 'binary_tensor_data'] }))).toBe(true)
    expect(takesBinary(serverFacts.parse({ extensions: ['binary_tensor'] }))).toBe(false)
    expect(takesBinary(serverFacts.parse({ name: 'server without extensions' }))).toBe(false)
  })
})
