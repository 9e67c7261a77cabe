import { describe, expect, it } from 'vitest'
import { lastOperation } from '../../../src/lab/import/last-operation.js'
import { node, number, onnxFile, tensor } from '../../support/detector-tiny-onnx.js'

describe('the last operation of a network', () => {
  const file = Buffer.concat([
    onnxFile(
      node('Gemm', ['x', 'w'], ['sums']),
      node('Softmax', ['sums'], ['shares']),
      node('Cast', ['shares'], ['halves']),
      node('Identity', ['halves'], ['probs']),
      tensor(
        'w',
        [200, 2],
        Array.from({ length: 400 }, () => 1),
      ),
    ),
    number(5, 2 ** 40),
  ])

  it.each([
    ['probs', 'Softmax'],
    ['shares', 'Softmax'],
    ['sums', 'Gemm'],
    ['w', null],
  ])('of the output %s is %s', (output, operation) => {
    expect(lastOperation(file, output)).toBe(operation)
  })
})
