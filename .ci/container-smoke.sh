# What container.sh runs inside the image: the commands of the README's tour. Ends with 1 at the first that fails.
say() { printf -- '-- %s\n' "$1"; }
# Waits until an address answers, at most a minute.
await() { node -e 'const ask = (n) => fetch(process.argv[1]).then((r) => process.exit(r.ok ? 0 : 1), () => n ? setTimeout(ask, 200, n - 1) : process.exit(1)); ask(300)' "$1"; }

say "uid $(id -u), read-only root"
[ "$(id -u)" = 1000 ]
if touch /app/written 2>/dev/null || touch /etc/written 2>/dev/null; then echo 'The root can be written.'; exit 1; fi

say 'one platform, no compiler'
[ "$(ls /app/node_modules/onnxruntime-node/bin/napi-v6)" = linux ]
[ ! -e /app/node_modules/typescript ]

say 'attestd --version'
attestd --version
say 'attestd score, H.264 through ffmpeg'
ffmpeg -loglevel error -f lavfi -i testsrc=duration=4:size=640x480 -c:v libx264 -pix_fmt yuv420p /tmp/made.mp4
attestd score /tmp/made.mp4 --media-type video_short
say 'attestd score, AAC through ffmpeg, then Opus without it'
ffmpeg -loglevel error -i /app/samples/espeak-weather.mp3 -c:a aac /tmp/made.m4a
attestd score /tmp/made.m4a --media-type audio
ffmpeg -loglevel error -i /app/samples/espeak-weather.mp3 -c:a libopus /tmp/made.ogg
attestd score /tmp/made.ogg --media-type audio
say 'attestd demo, of a sample of each kind'
attestd demo | tail -5

say 'attestd init, sandbox, doctor, which has each detector reproduce its risk'
attestd init /data/tour --service-url http://127.0.0.1:8787 >/dev/null
attestd sandbox --samples --secrets /data/tour/secrets >/tmp/sandbox.log 2>&1 &
sandbox=$!
await http://127.0.0.1:8787/api/v1/health
attestd doctor --config /data/tour/attestd.yaml --ipfs-gateways http://127.0.0.1:8787
say 'attestd run: alive, and ended by SIGTERM with 0'
node /app/dist/cli/main.js run --config /data/tour/attestd.yaml >/tmp/run.log 2>&1 &
daemon=$!
await http://127.0.0.1:8780/healthz
kill -TERM "$daemon"
wait "$daemon" || { tail -20 /tmp/run.log; exit 1; }
kill -TERM "$sandbox"
wait "$sandbox"
