import type { Dispatcher } from 'undici'

/**
 * The dispatcher, reporting when a request of it is about to be written to a connection that stands. Until then nothing
 * of the request has left, whatever error comes; from then on the other side may have got all of it.
 */
export function onWire(dispatcher: Dispatcher, started: () => void): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => {
    return dispatch(options, {
      onRequestStart: (controller, context) => {
        started()
        handler.onRequestStart?.(controller, context)
      },
      onRequestUpgrade: (...rest) => handler.onRequestUpgrade?.(...rest),
      onResponseStart: (...rest) => handler.onResponseStart?.(...rest),
      onResponseData: (...rest) => handler.onResponseData?.(...rest),
      onResponseEnd: (...rest) => handler.onResponseEnd?.(...rest),
      onResponseError: (...rest) => handler.onResponseError?.(...rest),
    })
  })
}
