import { systemClock } from '../../src/core/clock.js'
import { type Sandbox, startSandbox as startSandboxOn } from '../../src/sandbox/create-sandbox.js'
import type { SandboxOptions } from '../../src/sandbox/sandbox-options.js'

/** A sandbox on the system's clock, unless the test has one of its own. */
export function startSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  return startSandboxOn({ clock: systemClock, ...options })
}
