/**
 * The one list of reasons. The same code appears in the log line, the metric label, the failed job,
 * the CLI and the readiness answer, so that a person who reads one can search for it in all others.
 *
 * `kind` decides what the pipeline does:
 * - `retry`: a temporary failure; retry with jittered back-off until it is over or the asset closes.
 * - `wait`: nothing is wrong with the job; hold it until the condition clears, no attempt spent.
 * - `permanent`: a retry cannot help; the job fails at once and is kept for `attestd queue retry`. What a detector
 *   failed on is retried with another detector.
 * - `abstain`: a result; the asset gets no score and the job completes.
 * - `closed`: a result; the asset no longer accepts scores.
 * - `setup`: the process cannot start (or go on) as configured.
 */
export type ReasonKind = 'retry' | 'wait' | 'permanent' | 'abstain' | 'closed' | 'setup'

interface ReasonEntry {
  readonly kind: ReasonKind
  /** One sentence: what happened. */
  readonly summary: string
  /** What a person can do about it; absent where there is nothing to do. */
  readonly fix?: string
}

const row =
  (kind: ReasonKind) =>
  (summary: string, fix?: string): ReasonEntry => ({ kind, summary, ...(fix && { fix }) })
const [retry, wait, permanent] = [row('retry'), row('wait'), row('permanent')]
const [abstain, closed, setup] = [row('abstain'), row('closed'), row('setup')]

const STREAM_FIX =
  'If this repeats, look for a proxy or load balancer that holds back or cuts long responses; the list of assets is read meanwhile.'

/** Every reason by its code; `npm run docs` makes config/REASONS.md of it. */
export const REASONS = {
  // settings and start
  'setting-missing': setup('A required setting has no value.'),
  'setting-invalid': setup('A setting has a value that is not accepted.'),
  'setting-unknown': setup('A setting name is not known.', 'See config/SETTINGS.md.'),
  'argument-invalid': setup('An argument or flag of the command line has a value that is not accepted.'),
  'data-dir-unusable': setup(
    'The data directory cannot be written.',
    'Set ATTESTD_DATA_DIR to a directory that this user owns. If its disk became read-only or fails (see the kernel log), repair it.',
  ),
  'disk-full': retry(
    'The disk of the data directory is full.',
    'Free space on the disk of ATTESTD_DATA_DIR, lower ATTESTD_MEDIA_CACHE_BYTES, or set ATTESTD_DATA_DIR to a directory on another disk.',
  ),
  'disk-low': wait(
    'The disk of the data directory has less room than ATTESTD_DISK_FREE_BYTES.',
    'Free space on the disk of ATTESTD_DATA_DIR (df shows it), or lower ATTESTD_MEDIA_CACHE_BYTES.',
  ),
  'port-in-use': setup(
    'The HTTP port is taken.',
    'Stop the other process, or set ATTESTD_HTTP_PORT to a free port, or 0 for any.',
  ),
  'node-too-old': setup(
    'Node 20.19 or newer is needed.',
    'Install a newer Node (https://nodejs.org); node --version shows which one the shell finds.',
  ),
  'limits-low': setup(
    'A limit of the process is lower than attestd needs.',
    'Run ulimit -n 4096 before attestd in the same shell, or set LimitNOFILE=4096 in its systemd unit.',
  ),
  'webhook-failed': retry(
    'The webhook for alarms did not accept a message.',
    'Check ATTESTD_WEBHOOK_URL and its receiver; attestd doctor --test-webhook sends a test message.',
  ),
  'console-password-wrong': permanent(
    'Wrong console password. From one address, attestd checks ten at once, then one per 10 s.',
    'If a stranger tried it, bind the console to loopback (ATTESTD_HTTP_HOST) and reach it through a tunnel.',
  ),
  'queue-in-use': setup(
    'Another process has the embedded queue open.',
    'Stop that process. For several processes set ATTESTD_QUEUE_URL to redis://HOST:6379.',
  ),
  'queue-misconfigured': setup(
    'The queue engine is not safe to use as configured.',
    'Redis must be 6.2 or later with maxmemory-policy noeviction.',
  ),
  'queue-unauthorized': setup(
    'Redis refused the user, the password or their rights.',
    'Check the user in ATTESTD_QUEUE_URL, ATTESTD_QUEUE_PASSWORD (Sentinels: ATTESTD_QUEUE_SENTINEL_PASSWORD), and the rights of the user in the ACL of Redis.',
  ),
  'fleet-code-wrong': permanent(
    'A job, verdict or order on Redis lacks the authentication code of this fleet, and was not used.',
    'Set the same ATTESTD_FLEET_SECRET on every daemon (attestd status --fleet shows who differs). If it is the same, somebody else writes to Redis.',
  ),
  'fleet-secret-differs': setup(
    'Daemons on one queue differ in ATTESTD_FLEET_SECRET, so they refuse the jobs of each other.',
    'Set the same ATTESTD_FLEET_SECRET on every daemon, and restart those that differ.',
  ),
  'queue-tls-mismatch': setup(
    'Redis speaks TLS and ATTESTD_QUEUE_URL does not, or the other way around.',
    'Write rediss:// for a port with TLS, redis:// for a plain one.',
  ),
  'queue-certificate-refused': setup(
    'The certificate of Redis is not trusted or not for this host, or Redis requires one of ours.',
    'Set ATTESTD_QUEUE_TLS_CA to the PEM file of the authority, and name the host as the certificate does. If Redis requires a certificate, set ATTESTD_QUEUE_TLS_CERT and ATTESTD_QUEUE_TLS_KEY.',
  ),
  'queue-address-wrong': setup(
    'The server at ATTESTD_QUEUE_URL is not of the kind that the URL states.',
    'Write redis://HOST:PORT/DATABASE, redis+sentinel://HOST:PORT,HOST:PORT/NAME with the name of the primary, or redis+cluster://HOST:PORT,HOST:PORT.',
  ),
  'sandbox-data-invalid': setup(
    'The stored data of the sandbox cannot be read.',
    'Restore the folder of --data, or name another one to start from scratch.',
  ),
  'manifest-invalid': setup('A detector package has a manifest that is not accepted.'),
  'model-digest-mismatch': setup(
    'A file of a detector package does not have the digest of its manifest.',
    'If you changed the file, run attestd models seal FOLDER. Otherwise restore the package from its source.',
  ),
  'detector-self-test-failed': setup(
    'A detector did not reproduce the risk of its own sample.',
    'Runtime or weights differ: restore the package from its source, or state the new risk in selfTest of detector.json.',
  ),
  'detector-start-failed': setup(
    'No detector process could be started.',
    'The message contains the last output of the process. If it is empty, look for the out-of-memory killer in the system log.',
  ),
  'detector-start-timeout': retry(
    'A detector process did not load its packages, or score a sample, within a minute.',
    'The machine is slow or shared: set ATTESTD_DETECTOR_WORKERS to its number of cores at most, or give it more processor time.',
  ),

  // the lab
  'lab-data-invalid': setup('The labeled data is not in a form that the lab can use.'),
  'import-unsupported': setup('The export cannot be converted to a detector package.'),
  'detector-not-admitted': setup(
    'A detector package has not passed attestd models admit with this data directory.',
    'Run attestd models admit with your thresholds and data, or unset ATTESTD_REQUIRE_ADMISSION.',
  ),

  'detector-not-open': setup(
    'The weights of a detector package may not be used commercially.',
    'Name packages with open weights in ATTESTD_DETECTORS (attestd models list shows them), or unset ATTESTD_REQUIRE_OPEN_WEIGHTS.',
  ),

  // the service
  'service-unreachable': retry(
    'No connection to the service.',
    'Check that the service runs, that ATTESTD_SERVICE_URL is its address, and that this machine reaches it without a proxy (HTTPS_PROXY is not used).',
  ),
  'service-timeout': retry(
    'The service did not answer in time.',
    'Look for a slow or lossy network path. If only long answers are lost, lower the MTU.',
  ),
  'service-connection-lost': retry('The connection broke before the answer was complete.'),
  'service-rate-limited': wait('The service asked to slow down (429).'),
  'service-failing': retry('The service answered with a server error (5xx).'),
  'service-unauthorized': retry(
    'The service refused the credentials (401).',
    'Check ATTESTD_ACCESS_KEY and ATTESTD_SIGNING_SECRET and that the key was not revoked, or the wallet of a wallet session. A daemon reads a new key when it restarts.',
  ),
  'service-forbidden': wait(
    'The service refused this key (403), usually the stake gate or a wallet that is not linked.',
    'Check the stake and the wallet of the key in the dashboard.',
  ),
  'service-refused': permanent(
    'The service refused the request as invalid (4xx).',
    'Check that ATTESTD_SERVICE_URL is the origin of the service, and ATTESTD_SERVICE_API its API.',
  ),
  'request-invalid': permanent('A request does not match the API, so it was not sent.'),
  'service-reply-invalid': retry(
    'The answer of the service does not match its API.',
    'Check that ATTESTD_SERVICE_URL is the origin of the service itself, not of a website or a sign-in proxy, and that ATTESTD_SERVICE_API is what it speaks.',
  ),
  'service-redirected': retry(
    'The service answered with a redirect, which is never followed with signed headers.',
    'If it leads to the service, set ATTESTD_SERVICE_URL to that origin. If it leads to a sign-in page of the network or a proxy, let this machine through.',
  ),
  'score-forbidden': retry(
    'The service refused this score (403) although it accepts the key otherwise.',
    'Check that the wallet may score this asset, and is linked to the key on a signed-key service.',
  ),
  'score-conflict': permanent('The service has a different score by this attester for the asset.'),
  'score-unconfirmed': wait(
    'A submission ended without a clear answer. Once the service can no longer accept it, attestd asks for the score, and resends if there is none.',
  ),
  'role-missing': setup(
    'The wallet lacks the role that this work needs.',
    'Register the wallet as an attester (verifier) or submitter (contributor) in the stake contract, then start again.',
  ),
  'challenge-untrusted': wait(
    'The service asked the wallet to sign a text that is not its sign-in challenge; nothing was signed.',
    'Check ATTESTD_SERVICE_URL and ATTESTD_CHAIN_ID. If they are right and the text names the host of the site, add that host to ATTESTD_CHALLENGE_DOMAINS.',
  ),
  'upload-refused': permanent('The service did not accept the file.'),
  'asset-closed': closed('The asset no longer accepts scores.'),
  'asset-malformed': permanent('An asset of the service does not match its API.'),
  'event-malformed': retry('A stream event does not match the API.'),
  'event-too-large': retry('A stream event is larger than the cap and was skipped; the list is read instead.'),
  'stream-silent': retry('The stream sent no bytes for longer than the idle limit.', STREAM_FIX),
  'stream-ended': retry('The stream ended or was cut.', STREAM_FIX),
  'stream-error-event': retry('The service reported an error on the stream.'),

  // the wallet
  'wallet-unusable': setup(
    'The configured wallet cannot be opened.',
    'Check ATTESTD_WALLET and the settings of that wallet; attestd wallet address tests them.',
  ),
  'wallet-unreachable': retry('The wallet provider did not answer in time.'),
  'wallet-rate-limited': wait('The wallet provider asked to slow down (429).'),
  'wallet-refused': wait(
    'The wallet provider refused to sign.',
    'Check the credentials and the wallet id of the provider, and its policy for this wallet.',
  ),
  'signature-wrong': wait(
    'A signature is not by the expected address, so it was not used.',
    'Check that the wallet id, the key and ATTESTD_WALLET_ADDRESS belong together.',
  ),
  'attestation-invalid': permanent(
    'An off-chain attestation is malformed, or its content or signature is not the expected one.',
  ),

  // the chain
  'rpc-unreachable': retry('No RPC endpoint answered.', 'Check ATTESTD_RPC_URLS; it may list several endpoints.'),
  'rpc-wrong-chain': retry(
    'An RPC endpoint serves a different chain than the configured one.',
    'Make ATTESTD_RPC_URLS and ATTESTD_CHAIN_ID match.',
  ),
  'rpc-stale': retry('The latest block of an RPC endpoint is too old.'),
  'rpc-reply-invalid': retry('The answer of an RPC endpoint is malformed.'),
  'stake-contract-unreadable': retry(
    'The stake contract does not answer as the configured ABI describes.',
    'Check ATTESTD_STAKE_CONTRACT, ATTESTD_STAKE_ABI and ATTESTD_CHAIN_ID.',
  ),
  'stake-disagreement': wait(
    'The service and the stake contract report different stakes.',
    'Check that ATTESTD_STAKE_CONTRACT, ATTESTD_CHAIN_ID and ATTESTD_WALLET_ADDRESS are those of the key.',
  ),

  // gates
  'stake-low': wait(
    'The stake is below the minimum, so nothing is submitted.',
    "Top up the stake of the key's wallet; submission resumes by itself.",
  ),
  'stake-unknown': wait(
    'The stake has not been read yet.',
    'Nothing to do in the first minute. If it lasts, attestd doctor tests the service and the RPC endpoints that state the stake.',
  ),
  'clock-untrusted': wait(
    'The service time is not known precisely enough to sign.',
    'Look for a slow or unstable network path to the service; attestd doctor measures it.',
  ),
  'clock-off': wait(
    'The local clock is off by more than the timestamp window. Scores continue, in service time; times in log and records are wrong.',
    'Synchronize the clock of this machine (chrony, systemd-timesyncd or another NTP client).',
  ),
  doppelganger: wait(
    'Our key or wallet was used elsewhere: the service shows a score that this queue never sent.',
    'Stop the other daemon, or give both the same ATTESTD_QUEUE_URL. If there is none, revoke the key. Submission that stopped (ATTESTD_ON_DOPPELGANGER) resumes after a restart.',
  ),
  'analysis-elsewhere': wait('The same content is being analyzed for another asset; its verdict serves both.'),
  draining: wait('The daemon is stopping and accepts no new work.'),

  // media
  'uri-unsupported': abstain('The URI of the asset is neither ipfs:// nor https://, or cannot be parsed.'),
  'address-refused': abstain('The URI of the asset leads to an address that is not public.'),
  'media-unreachable': retry('No gateway or server delivered the media.'),
  'media-timeout': retry('The media did not arrive in time.'),
  'media-too-slow': retry(
    'The media arrived too slowly; attestd retries it later with more time.',
    'If this happens to most media, put a faster gateway first in ATTESTD_IPFS_GATEWAYS.',
  ),
  'media-busy': wait(
    'Too many slow fetches are running.',
    'If it persists, raise ATTESTD_FETCH_CONNECTIONS or put a faster gateway first in ATTESTD_IPFS_GATEWAYS.',
  ),
  'media-too-large': abstain('The media is larger than the cap.'),
  'media-empty': abstain('The media has no bytes.'),
  'media-integrity': retry('A gateway delivered bytes that do not hash to the CID.'),
  'media-cache-failed': retry(
    'The media cache on disk cannot be written or read.',
    'Free or repair the disk, or remove cache in the data directory, which is made again.',
  ),
  'media-redirects': retry('The media server redirected too often.'),
  'content-hash-mismatch': abstain(
    'The bytes do not have the content hash that the service states.',
    'If this happens to every asset, check ATTESTD_CONTENT_HASH.',
  ),
  'media-type-mismatch': abstain('The bytes are a different kind of media than declared.'),
  'media-unsupported': abstain('The media format is not supported.'),
  'media-corrupt': abstain('The media cannot be decoded.'),
  'media-too-complex': abstain('The media has more pixels, sound or parts than the caps allow.'),
  'media-too-small': abstain('The media is smaller than what the detector can judge.'),
  'media-too-short': abstain('The media is shorter than what the detector can judge.'),
  'media-is-code': abstain('The text is source code, markup or data rather than prose.'),
  'language-unsupported': abstain('The text is in a language that the detector was not trained on.'),
  'media-narrow-band': abstain('The recording has less bandwidth than the detector can judge, as on the telephone.'),
  'media-featureless': abstain('The media contains nothing to judge, such as one color, a smooth gradient or silence.'),
  'media-without-speech': abstain('The recording contains too little speech.'),

  // detection
  'detector-none': abstain('No detector is loaded for this kind of media.'),
  'detector-unsure': abstain(
    'The risk lies in the decision band, or a re-encoding, another frame, background or channel flips the verdict.',
  ),
  'review-waiting': wait(
    'The detector is unsure of an asset, and a person decides (ATTESTD_UNSURE_POLICY=review).',
    'Open /review on the console of any daemon of the queue that has ATTESTD_HTTP_PASSWORD, and decide before the deadline.',
  ),
  'review-expired': abstain('Nobody decided on an unsure asset before its deadline.'),
  'review-decided': permanent('The asset no longer waits for a decision; the first decision counts.'),
  'detector-timeout': permanent(
    'Detection took longer than its limit and its process was killed.',
    'If it happens to long files: raise ATTESTD_DETECTOR_TIMEOUT_MS, or set ATTESTD_DETECTOR_WORKERS to the number of cores at most, then run attestd queue retry. A short file may be an attack.',
  ),
  'detector-crashed': permanent('The detector process crashed while working on this file.'),
  'detector-out-of-memory': permanent(
    'The detector process exceeded its memory cap.',
    'If it happens to many files: raise ATTESTD_DETECTOR_MEMORY_MB, then run attestd queue retry. A single file may be an attack.',
  ),
  'detector-failed': permanent('The detector returned an error or an output that is not a number in range.'),
  'detector-unreachable': retry(
    'The model server of a remote detector does not answer.',
    'Check the server in runtime.url of the package; the detector resumes when it answers.',
  ),
  'detector-unavailable': retry('No detector process is ready.'),
  'detector-busy': wait(
    'Many costly files (videos, large pictures, long recordings) already wait for a detector process.',
    'If it persists, raise ATTESTD_DETECTOR_WORKERS or add workers.',
  ),
  'detector-killed': retry(
    'The kernel (out of memory) or another program killed a detector process at work.',
    'If it was the out-of-memory killer (see the system log), add memory, or lower ATTESTD_DETECTOR_WORKERS or ATTESTD_DETECTOR_MEMORY_MB.',
  ),

  // queue and process
  'queue-unreachable': retry(
    'The queue engine does not answer.',
    'Start Redis, or correct ATTESTD_QUEUE_URL; redis-cli -u URL ping tests it.',
  ),
  'queue-paused': wait(
    'A queue is paused: no daemon takes its jobs, even after a restart.',
    'Run attestd queue resume.',
  ),
  'daemon-not-running': retry(
    'No daemon runs on this data directory, or it does not answer.',
    'Start it with attestd run, or name its data directory: --config, --data-dir or ATTESTD_DATA_DIR.',
  ),
  'workers-missing': wait(
    'Jobs wait, and no live daemon does that work or has a detector for that kind of media.',
    'Start a daemon with that role (ATTESTD_ROLES) and detector (ATTESTD_DETECTORS) on the same queue; attestd status --fleet lists the daemons.',
  ),
  'job-malformed': permanent('The data of a job is malformed.'),
  'job-lock-lost': retry('The lock of a job was lost while it ran; this run was abandoned.'),
  'job-stalled': permanent('A job was started many times and its process died or hung each time.'),
  'internal-error': retry('An unexpected error; please report it with the log line.'),
} satisfies Record<string, ReasonEntry>

/** A code from the one list of reasons. */
export type Reason = keyof typeof REASONS

/** The entry of a reason, with the optional `fix` visible to the type checker. */
export const reasonEntry = (reason: Reason): ReasonEntry => REASONS[reason]

/** Whether a text from outside, such as a kept failure or an answer of the daemon, is a code of the list. */
export const isReason = (text: string): text is Reason => Object.hasOwn(REASONS, text)
