import os from 'node:os'
import { expect, it } from 'vitest'
import { describePlatform, instructionsOf } from '../../../src/app/open/platform.js'

const cpuinfo = (line: string) =>
  `processor\t: 0\nmodel name\t: AMD EPYC\n${line}\nbugs\t\t: spectre_v1\n\nprocessor\t: 1\n`

it.each([
  ['without VNNI', 'flags\t\t: fpu avx avx2 fma', ['avx2']],
  [
    'with VNNI and matrices',
    'flags\t\t: avx512_vnni amx_int8 avx2 avx512f avx_vnni',
    ['avx2', 'avx512f', 'avx_vnni', 'avx512_vnni', 'amx_int8'],
  ],
  ['of Arm', 'Features\t: fp asimd asimddp sve i8mm', ['asimddp', 'i8mm', 'sve']],
  ['that lists nothing', 'cpu family\t: 23', []],
])('lists the instruction sets of a processor %s, in one order', (_, line, expected) => {
  expect(instructionsOf(cpuinfo(line))).toEqual(expected)
})

it('returns the same text each time, with processor, system, node, libraries and ffmpeg', async () => {
  const platform = await describePlatform(null)
  expect(platform.startsWith(os.cpus()[0]?.model.trim() || 'unknown processor')).toBe(true)
  expect(platform).toMatch(/, onnxruntime-node \d+\.\S+, sharp \d+\.\S+, ffmpeg none$/)
  expect(platform).toContain(`${process.platform} ${process.arch}, `)
  expect(platform).toContain(`node ${process.version}, `)
  expect(await describePlatform(null)).toBe(platform)
})
