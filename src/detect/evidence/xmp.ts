import type { Evidence } from '../contract/measurement.js'
import { evidenceOf, isReadable, quote } from './evidence-of.js'

/** Most bytes of an XMP packet that are read; what these patterns cost grows with it. */
const MAX_PACKET = 256 * 1024
/** Properties that state how a picture was made: XMP basic, IPTC extension (2025.1 for the AI fields), Photoshop. */
const PROPERTIES = [
  'Iptc4xmpExt:DigitalSourceType',
  'Iptc4xmpExt:DigitalSourceFileType',
  'Iptc4xmpExt:AISystemUsed',
  'Iptc4xmpExt:AISystemVersionUsed',
  'Iptc4xmpExt:AIPromptInformation',
  'xmp:CreatorTool',
  'photoshop:Credit',
  'photoshop:Source',
  'photoshop:Instructions',
  'tiff:Software',
] as const
const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&amp;': '&' }

/**
 * What an XMP packet states about the making of the file. Found by pattern, not by an XML parser: a packet from outside
 * gets no entities, no external files and no nesting this way; a property under another prefix is not found.
 */
export function xmpEvidence(packet: Uint8Array): Evidence[] {
  const text = new TextDecoder().decode(packet.subarray(0, MAX_PACKET))
  return PROPERTIES.flatMap((property) => {
    const value = propertyOf(text, property)
    return isReadable(value) ? [evidenceOf('xmp', `xmp ${property.split(':')[1]} ${quote(sourceType(value))}`)] : []
  })
}

/** The value of a property written as an attribute or as an element; of a list, the first item. */
function propertyOf(text: string, property: string): string | undefined {
  const attribute = new RegExp(`${property}\\s{0,9}=\\s{0,9}(?:"([^"]{0,2000})"|'([^']{0,2000})')`).exec(text)
  if (attribute !== null) return unescapeXml(attribute[1] ?? attribute[2] ?? '')
  const element = new RegExp(`<${property}(?:\\s[^>]{0,500})?>([^]{0,2000}?)</${property}>`).exec(text)
  return element === null ? undefined : unescapeXml((element[1] as string).replaceAll(/<[^>]{0,500}>/g, ' '))
}

const unescapeXml = (text: string): string =>
  text.replaceAll(/&(?:lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity] as string)

/** IPTC's source types by their last word: `trainedAlgorithmicMedia`. */
export const sourceType = (uri: string): string =>
  uri.replace(/^https?:\/\/cv\.iptc\.org\/newscodes\/digitalsourcetype\//i, '')
