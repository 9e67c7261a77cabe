import type { FastifyInstance } from 'fastify'
import { registryText } from '../registry/registry-text.js'
import type { StakeRegistry } from '../registry/stake-registry.js'

const PLACES: readonly (readonly [href: string, text: string])[] = [
  ['/docs', 'All routes, to read and to try'],
  ['/openapi.json', 'The same as OpenAPI 3.1'],
  ['/api/v1/health', 'Health of the signed-key API'],
  ['/api/v1/time', 'Service time'],
  ['/health', 'Health of the wallet-session API'],
  ['/sandbox/state', 'What the sandbox holds'],
  ['/sandbox/assets', 'Assets'],
  ['/sandbox/scores', 'Scores, and every attempt to make one'],
  ['/sandbox/faults', 'Faults in force'],
  ['/sandbox/requests', 'Requests counted'],
]

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}
li{margin:.3rem 0}code{font-size:.9em}`

/** The page at `/`: what is where. */
export function serveIndexPage(app: FastifyInstance, registry: StakeRegistry): void {
  const items = PLACES.map(([href, text]) => `<li><a href="${href}">${text}</a> <code>${href}</code></li>`).join('\n')
  const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>attestd sandbox</title><style>${STYLE}</style></head>
<body><main><h1>attestd sandbox</h1>
<p>A local media-verification service to develop against: the signed-key API v1 under <code>/api</code>, the wallet-session
API under <code>/v1</code>, and a trustless IPFS gateway under <code>/ipfs/CID?format=car</code>. Keys, wallets and the
session token were printed where it was started.</p>
<ul>
${items}
</ul>
<p>Roles and stake: ${registryText(registry)}.</p>
<p>Pages under <code>/sandbox</code> answer only to this machine.</p></main></body></html>
`
  app.get('/', { schema: { hide: true } as never }, async (_request, reply) =>
    reply
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .type('text/html; charset=utf-8')
      .send(page),
  )
}
