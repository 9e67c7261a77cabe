// A server for the runtime `remote-file`: receives the bytes of a file with their content type, and returns a score.
//   node server.mjs 8001
import http from 'node:http'

/** Replace this with your model. To abstain, return a reason of config/REASONS.md that begins with media- or language-. */
function score(bytes, contentType) {
  if (!contentType.startsWith('image/')) return { reason: 'media-unsupported', message: `${contentType} is no picture` }
  const mean = bytes.reduce((sum, byte) => sum + byte, 0) / bytes.length
  return { logit: (mean - 127.5) / 32, notes: `${bytes.length} bytes of ${contentType}` }
}

const server = http.createServer(async (request, response) => {
  const answer = (status, value) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  }
  try {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    answer(200, score(Buffer.concat(chunks), request.headers['content-type']))
  } catch (error) {
    // attestd retries a 500.
    answer(500, { error: error.message })
  }
})
server.listen(Number(process.argv[2] ?? 8001), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`)
})
