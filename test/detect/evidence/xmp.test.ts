import { describe, expect, it } from 'vitest'
import { sourceType, xmpEvidence } from '../../../src/detect/evidence/xmp.js'

const linesOf = (packet: string) => xmpEvidence(Buffer.from(packet)).map(({ text }) => text)

describe('xmpEvidence', () => {
  it.each([
    ['an attribute', '<x xmp:CreatorTool="Painter 3"/>', 'Painter 3'],
    ['an attribute in single quotes', `<x xmp:CreatorTool='Painter "3"'/>`, "Painter '3'"],
    ['an attribute with spaces', '<x xmp:CreatorTool = "Painter"/>', 'Painter'],
    ['an element', '<xmp:CreatorTool>Painter</xmp:CreatorTool>', 'Painter'],
    ['an element with attributes', '<xmp:CreatorTool xml:lang="en">Painter</xmp:CreatorTool>', 'Painter'],
    ['an element over lines', '<xmp:CreatorTool>\n  Pain\n  ter\n</xmp:CreatorTool>', 'Pain ter'],
    ['the items of a list', '<xmp:CreatorTool><rdf:Alt><rdf:li>One</rdf:li></rdf:Alt></xmp:CreatorTool>', 'One'],
    ['entities', '<x xmp:CreatorTool="a &lt;b&gt; &amp;&apos;c&apos;"/>', "a <b> &'c'"],
    ['what an entity stands for, once', '<x xmp:CreatorTool="&amp;lt;"/>', '&lt;'],
    ['an unknown entity as it stands', '<x xmp:CreatorTool="&xxe; &#65;"/>', '&xxe; &#65;'],
  ])('reads %s', (_, packet, value) => {
    expect(linesOf(packet)).toEqual([`xmp CreatorTool "${value}"`])
  })

  it.each([
    ['an empty attribute', '<x xmp:CreatorTool=""/>'],
    ['an element without an end', '<xmp:CreatorTool>Painter'],
    ['an element of another name', '<xmp:CreatorToolX>Painter</xmp:CreatorToolX>'],
    ['an attribute without quotes', '<x xmp:CreatorTool=Painter />'],
    ['a property that states nothing about the making', '<x xmp:Rating="5"/>'],
    ['nothing', ''],
  ])('reports nothing for %s', (_, packet) => {
    expect(linesOf(packet)).toEqual([])
  })

  it('reports every property that states how a picture was made, in one order', () => {
    const names = [
      'tiff:Software',
      'photoshop:Instructions',
      'photoshop:Source',
      'photoshop:Credit',
      'Iptc4xmpExt:AIPromptInformation',
      'Iptc4xmpExt:AISystemVersionUsed',
      'Iptc4xmpExt:AISystemUsed',
      'Iptc4xmpExt:DigitalSourceFileType',
      'Iptc4xmpExt:DigitalSourceType',
    ]
    const packet = `<x ${names.map((name, index) => `${name}="v${index}"`).join(' ')}/>`
    expect(linesOf(packet)).toEqual([
      'xmp DigitalSourceType "v8"',
      'xmp DigitalSourceFileType "v7"',
      'xmp AISystemUsed "v6"',
      'xmp AISystemVersionUsed "v5"',
      'xmp AIPromptInformation "v4"',
      'xmp Credit "v3"',
      'xmp Source "v2"',
      'xmp Instructions "v1"',
      'xmp Software "v0"',
    ])
  })

  it('reads the first 256 KiB of a packet', () => {
    const property = '<x xmp:CreatorTool="P"/>'
    expect(linesOf(' '.repeat(256 * 1024 - property.length) + property)).toHaveLength(1)
    expect(linesOf(' '.repeat(256 * 1024) + property)).toEqual([])
  })
})

it.each([
  ['http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia', 'trainedAlgorithmicMedia'],
  ['https://CV.iptc.org/NewsCodes/DigitalSourceType/digitalCapture', 'digitalCapture'],
  ['https://example.org/newscodes/digitalsourcetype/x', 'https://example.org/newscodes/digitalsourcetype/x'],
  ['see http://cv.iptc.org/newscodes/digitalsourcetype/x', 'see http://cv.iptc.org/newscodes/digitalsourcetype/x'],
])('sourceType %s', (uri, word) => {
  expect(sourceType(uri)).toBe(word)
})
