import { readFileSync } from 'node:fs'
import { packagePath } from '../../src/core/files.js'

/** A request with its signature, computed outside the project from the specification. */
export interface SigningVector {
  readonly name: string
  readonly signingSecret: string
  readonly timestamp: string
  readonly method: string
  readonly target: string
  readonly body: string
  readonly bodySha256: string
  readonly canonicalPayload: string
  readonly signature: string
}

export function readSigningVectors(): SigningVector[] {
  const text = readFileSync(packagePath('test', 'vectors', 'signing-vectors.json'), 'utf8')
  return (JSON.parse(text) as { vectors: SigningVector[] }).vectors
}
