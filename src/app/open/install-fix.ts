import fs from 'node:fs'

/** Files by which Docker and Podman mark a container. */
const MARKS = ['/.dockerenv', '/run/.containerenv']

/** How to get a package of Debian. Nothing is installed into a running container: it cannot write its root file system. */
export function installFix(name: string): string {
  return inContainer()
    ? `Build an image that contains ${name} from the Dockerfile of attestd, and run that.`
    : `Install it (apt-get install ${name}).`
}

const inContainer = () => process.env.KUBERNETES_SERVICE_HOST !== undefined || MARKS.some((file) => fs.existsSync(file))
