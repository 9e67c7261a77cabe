import fs from 'node:fs/promises'
import path from 'node:path'
import { stringify } from 'yaml'
import { SETTINGS } from '../config/settings.js'
import { AttestdError, errorText } from '../core/errors.js'

/**
 * Writes `attestd.yaml` and empty secret files, readable by the owner only. Never overwrites.
 * @throws AttestdError setting-invalid, data-dir-unusable
 */
export async function initFolder(folder: string, serviceUrl: string): Promise<{ config: string; secrets: string[] }> {
  if (!SETTINGS.serviceUrl.parse.safeParse(serviceUrl).success) {
    throw new AttestdError(
      'setting-invalid',
      `--service-url takes ${SETTINGS.serviceUrl.expects}, got ${JSON.stringify(serviceUrl)}.`,
    )
  }
  const root = path.resolve(folder)
  const config = path.join(root, 'attestd.yaml')
  const secrets = ['access_key', 'signing_secret'].map((name) => path.join(root, 'secrets', name))
  try {
    await fs.mkdir(path.join(root, 'secrets'), { recursive: true, mode: 0o700 })
    await fs.writeFile(config, settingsText(serviceUrl, root, secrets), { flag: 'wx', mode: 0o600 })
    for (const secret of secrets) await fs.writeFile(secret, '', { flag: 'a', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new AttestdError('setting-invalid', `${config} is there already and is left as it is.`)
    }
    throw new AttestdError('data-dir-unusable', `${root} cannot be written (${errorText(error)}).`, { cause: error })
  }
  return { config, secrets }
}

function settingsText(serviceUrl: string, root: string, [accessKeyFile, signingSecretFile]: string[]): string {
  const content = {
    service: { url: serviceUrl, accessKeyFile, signingSecretFile },
    run: { dataDir: path.join(root, 'data') },
  }
  return `# Settings of attestd; config/SETTINGS.md lists all of them.\n${stringify(content)}`
}
