import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readExport } from '../../../src/lab/import/hugging-face-export.js'
import { onnxFile, outerTensor } from '../../support/detector-tiny-onnx.js'
import { folderForEach } from '../../support/temporary-folder.js'

const folder = folderForEach()

/** A network whose weights lie in these files. */
const weightsIn = (...files: string[]) => onnxFile(...files.map((file) => outerTensor('w', [1], file)))

async function write(files: Record<string, string | object>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await fs.mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await fs.writeFile(
      path.join(folder, name),
      typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
    )
  }
}

const refused = (message: string | RegExp) => ({
  reason: 'import-unsupported',
  message: expect.stringMatching(message),
})

describe('an export', () => {
  it('is read from its files; missing ones are reported as such', async () => {
    await write({ 'config.json': { model_type: 'vit' }, 'model.onnx': 'x' })
    expect(await readExport(folder, null)).toEqual({
      folder,
      model: path.join(folder, 'model.onnx'),
      data: null,
      config: { model_type: 'vit', id2label: { 0: 'LABEL_0', 1: 'LABEL_1' } },
      preprocessor: null,
      tokenizer: null,
      license: null,
    })
  })

  it('of timm is read from its one file', async () => {
    const cfg = { input_size: [3, 224, 224], mean: [0, 0, 0], std: [1, 1, 1], interpolation: 'bicubic', crop_pct: 1 }
    await write({
      'config.json': { architecture: 'vit_small', label_names: ['real', 'fake'], pretrained_cfg: cfg },
      'model.onnx': 'x',
    })
    expect(await readExport(folder, null)).toMatchObject({
      config: { architectures: ['vit_small'], id2label: { 0: 'real', 1: 'fake' } },
      preprocessor: { size: { shortest_edge: 224 }, do_center_crop: true, resample: 3 },
    })
  })

  it('without labels has those that transformers leaves out, or as many as timm counts', async () => {
    await write({ 'config.json': { num_classes: 3 }, 'model.onnx': 'x' })
    expect((await readExport(folder, null)).config.id2label).toEqual({ 0: 'LABEL_0', 1: 'LABEL_1', 2: 'LABEL_2' })
  })

  it('with weights that no package takes is refused by the name of their file', async () => {
    await write({ 'config.json': {}, 'model.onnx': weightsIn('model.onnx_data'), 'model.onnx_data': 'x' })
    await fs.truncate(path.join(folder, 'model.onnx_data'), 2 ** 31)
    await expect(readExport(folder, null)).rejects.toMatchObject(refused(/model\.onnx_data has 2147483648 bytes/))
  })

  it('of a fast image processor has null where it states nothing, and for steps that are off', async () => {
    const processor = {
      do_resize: true,
      do_rescale: true,
      do_normalize: null,
      do_center_crop: null,
      size: { height: 32, width: 32, shortest_edge: null },
      crop_size: null,
      resample: 3,
      rescale_factor: null,
    }
    await write({ 'config.json': {}, 'model.onnx': 'x', 'preprocessor_config.json': processor })
    const { preprocessor } = await readExport(folder, null)
    expect(preprocessor).toMatchObject({ size: { height: 32, width: 32 }, do_normalize: false })
    expect(preprocessor).not.toMatchObject({ crop_size: null })
  })

  it.each(['model.onnx_data', 'weights.bin', 'parts/w'])('has the rest of its weights in %s', async (name) => {
    await write({
      'config.json': {},
      'onnx/model.onnx': weightsIn(name),
      [`onnx/${name}`]: 'x',
      'onnx/other_data': 'x',
    })
    expect((await readExport(folder, null)).data).toBe(name)
  })

  it.each(['image_processor', 'feature_extractor'])('of transformers 5 is read from %s', async (kind) => {
    const processor = { processor_class: 'X', [kind]: { size: { height: 32, width: 32 } } }
    await write({ 'config.json': {}, 'model.onnx': 'x', 'processor_config.json': processor })
    expect((await readExport(folder, null)).preprocessor).toEqual({ size: { height: 32, width: 32 } })
    await write({ 'preprocessor_config.json': { size: 8 } })
    expect((await readExport(folder, null)).preprocessor).toEqual({ size: 8 })
  })

  it('has its weights at the usual places, or at a given path', async () => {
    await write({ 'config.json': {}, 'model.onnx': 'x', 'onnx/model.onnx': 'x', 'other/m.onnx': 'x' })
    expect((await readExport(folder, null)).model).toBe(path.join(folder, 'onnx', 'model.onnx'))
    expect((await readExport(folder, 'other/m.onnx')).model).toBe(path.join(folder, 'other', 'm.onnx'))
    await expect(readExport(folder, 'absent.onnx')).rejects.toMatchObject(refused('holds no absent.onnx'))
  })

  it.each<[string, Record<string, string | object>, RegExp]>([
    ['without config.json', { 'model.onnx': 'x' }, /holds no config\.json/],
    ['without weights', { 'config.json': {} }, /holds no onnx\/model\.onnx nor model\.onnx/],
    ['with a folder for weights', { 'config.json': {}, 'model.onnx/x': 'x' }, /holds no/],
    [
      'with weights in three files',
      { 'config.json': {}, 'model.onnx': weightsIn('a', 'b') },
      /weights lie in 2 files, such as a\./,
    ],
    ['without its other weights', { 'config.json': {}, 'model.onnx': weightsIn('a') }, /a is missing, in which model/],
    [
      'with weights elsewhere',
      { 'config.json': {}, 'model.onnx': weightsIn('../a') },
      /lie in \.\.\/a, outside the folder/,
    ],
    ['with a broken config', { 'config.json': '{', 'model.onnx': 'x' }, /config\.json is not JSON/],
    [
      'with another config',
      { 'config.json': { id2label: [] }, 'model.onnx': 'x' },
      /config\.json is not accepted: id2label/,
    ],
    [
      'with a size of nothing',
      { 'config.json': {}, 'model.onnx': 'x', 'preprocessor_config.json': { size: 0 } },
      /preprocessor_config\.json is not accepted: size/,
    ],
    ['with a folder for a config', { 'config.json/x': '', 'model.onnx': 'x' }, /config\.json is a folder, not a file/],
    [
      'with labels of no form',
      { 'config.json': { id2label: { 0: [] } }, 'model.onnx': 'x' },
      /config\.json is not accepted: id2label\.0: is of no form that is known/,
    ],
  ])('%s is refused', async (_, files, message) => {
    await write(files)
    const error = await readExport(folder, null).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject(refused(message))
    expect(String(error)).not.toMatch(/Invalid input|E[A-Z]{4,}/)
  })

  it('states how to correct a wrong config', async () => {
    await write({ 'config.json': { id2label: [] }, 'model.onnx': 'x' })
    await expect(readExport(folder, null)).rejects.toMatchObject({
      fix: expect.stringMatching(/Correct id2label in config\.json\. Export the model again: optimum-cli/),
    })
  })

  it.each([
    [{ model_max_length: 512 }, 512],
    [{ model_max_length: 1e30 }, null],
    [{}, null],
  ])('with the tokenizer %j takes at most %j tokens', async (config, maxLength) => {
    const files = { 'config.json': {}, 'model.onnx': 'x', 'tokenizer.json': { model: {} } }
    await write(files)
    expect((await readExport(folder, null)).tokenizer).toBeNull()
    await write({ 'tokenizer_config.json': config })
    expect((await readExport(folder, null)).tokenizer).toEqual({ maxLength })
  })

  it.each([
    ['---\nlicense: mit\n---\n', 'mit'],
    ['---\ntags: [x]\nlicense: "cc-by-4.0"\n---\n', 'cc-by-4.0'],
    ['license: mit\n', null],
    ['---\ntags: [x]\n---\nlicense: mit\n', null],
    ['---\nlicense:\n---\n', null],
    ['', null],
  ])('with the card %j states the license %j', async (card, license) => {
    await write({ 'config.json': {}, 'model.onnx': 'x', 'README.md': card })
    expect((await readExport(folder, null)).license).toBe(license)
  })
})
