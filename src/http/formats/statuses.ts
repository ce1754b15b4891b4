import { STATUS_CODES } from 'node:http'

interface Status {
  readonly title: string
  /** The generic sentence that OpenStack clients get for this status. */
  readonly sentence: string
}

/** Part of the protocol: clients and their tests match on titles and sentences. */
const statuses: Readonly<Record<number, Status>> = {
  400: {
    title: 'Bad Request',
    sentence:
      'The server could not comply with the request since it is either malformed or otherwise incorrect.',
  },
  401: {
    title: 'Unauthorized',
    sentence:
      'This server could not verify that you are authorized to access the document you requested. ' +
      'Either you supplied the wrong credentials (e.g., bad password), ' +
      'or your browser does not understand how to supply the credentials required.',
  },
  403: { title: 'Forbidden', sentence: 'Access was denied to this resource.' },
  404: { title: 'Not Found', sentence: 'The resource could not be found.' },
  405: { title: 'Method Not Allowed', sentence: '' },
  406: { title: 'Not Acceptable', sentence: '' },
  408: {
    title: 'Request Timeout',
    sentence: 'The server has waited too long for the request to be sent by the client.',
  },
  409: { title: 'Conflict', sentence: 'There was a conflict when trying to complete your request.' },
  410: { title: 'Gone', sentence: 'This resource is no longer available.  No forwarding address is given.' },
  413: {
    title: 'Request Entity Too Large',
    sentence: 'The body of your request was too large for this server.',
  },
  414: { title: 'Request-URI Too Long', sentence: 'The request URI was too long for this server.' },
  415: { title: 'Unsupported Media Type', sentence: '' },
  422: { title: 'Unprocessable Entity', sentence: 'Unable to process the contained instructions' },
  429: {
    title: 'Too Many Requests',
    sentence: 'The client has sent too many requests in a given amount of time',
  },
  431: {
    title: 'Request Header Fields Too Large',
    sentence: 'The request header fields were too large',
  },
  500: {
    title: 'Internal Server Error',
    sentence: 'The server has either erred or is incapable of performing the requested operation.',
  },
  503: {
    title: 'Service Unavailable',
    sentence: 'The server is currently unavailable. Please try again at a later time.',
  },
  507: { title: 'Insufficient Storage', sentence: 'There was not enough space to save the resource' },
}

export function findStatus(code: number): Status {
  return statuses[code] ?? { title: STATUS_CODES[code] ?? 'Unknown', sentence: '' }
}
