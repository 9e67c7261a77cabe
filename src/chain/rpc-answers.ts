import { z } from 'zod'

/** Longest quantity that is read, hex digits: 256 bits. */
const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/, 'a number in hex')
  .transform(BigInt)
const bytes = z.string().regex(/^0x([0-9a-fA-F]{2})*$/, 'bytes in hex')

export const chainIdAnswer = quantity
  .refine((id) => id <= BigInt(Number.MAX_SAFE_INTEGER), 'a chain id')
  .transform(Number)

/** The answer to `eth_getBlockByNumber`, of which no more is used. */
export const blockAnswer = z.object({
  number: quantity,
  timestamp: quantity.refine((seconds) => seconds < 2n ** 40n, 'Unix seconds').transform(Number),
})

/** Answers of methods that viem reads by itself and without much of a look at their shape. */
export const ANSWERS: Readonly<Record<string, z.ZodType>> = {
  eth_call: bytes,
  eth_getCode: bytes,
  eth_chainId: chainIdAnswer,
}

/** One answer of JSON-RPC 2.0; an endpoint that could not read the question states `id: null`. */
export const envelope = z.union([
  z.object({
    id: z.union([z.number(), z.string(), z.null()]).optional(),
    error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }),
  }),
  z.object({ id: z.number(), result: z.unknown() }),
])

export type RpcError = Extract<z.infer<typeof envelope>, { error: unknown }>['error']

/** What JSON-RPC gives where the contract reverted; clients differ for what the EVM refuses otherwise. */
const REVERTED = 3
const FAILED_IN_EVM = /revert|invalid opcode|out of gas|stack (under|over)flow|invalid jump|vm execution/i

/** How clients state that they do not have a block yet. */
const BLOCK_UNKNOWN =
  /(header|block).{0,20}not (found|available)|unknown block|block is out of range|after last accepted/i

/** Whether the server does not have the block: it is one of several behind an address, and behind the others. */
export const isBehind = ({ message }: RpcError): boolean => BLOCK_UNKNOWN.test(message)

/** Whether the call failed in the contract, which is an answer, and not at the endpoint. */
export const failedInContract = ({ code, message }: RpcError): boolean =>
  code === REVERTED || FAILED_IN_EVM.test(message)
