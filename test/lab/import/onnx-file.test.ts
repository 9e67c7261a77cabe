import { describe, expect, it } from 'vitest'
import { probabilityOperation } from '../../../src/lab/import/onnx-file.js'
import { node, number, onnxFile, tensor } from '../../support/detector-tiny-onnx.js'

describe('the operation that makes an output a probability', () => {
  const file = Buffer.concat([
    onnxFile(
      node('Gemm', ['x', 'w'], ['sums']),
      node('Softmax', ['sums'], ['shares']),
      node('Cast', ['shares'], ['halves']),
      node('Identity', ['halves'], ['probs']),
      node('Clip', ['shares', 'low', 'high'], ['clipped']),
      node('Sub', ['one', 'shares'], ['others']),
      node('Concat', ['sums', 'others'], ['both']),
      node('Exp', ['sums'], ['powers']),
      node('ReduceSum', ['powers'], ['all']),
      node('Div', ['powers', 'all'], ['written out']),
      node('Mul', ['sums', 'powers'], ['scaled']),
      node('Gemm', ['shares', 'w'], ['logits']),
      node('TreeEnsembleClassifier', ['sums'], ['label', 'votes']),
      node('LogSoftmax', ['sums'], ['logs']),
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
    ['clipped', 'Softmax'],
    ['both', 'Softmax'],
    ['written out', 'Softmax'],
    ['votes', 'TreeEnsembleClassifier'],
    ['scaled', null],
    ['logits', null],
    ['logs', null],
    ['sums', null],
    ['w', null],
  ])('of the output %s is %s', (output, operation) => {
    expect(probabilityOperation(file, output)).toBe(operation)
  })
})
