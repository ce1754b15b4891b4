/** A service of the cloud gave no usable answer. The message is one line that names the service. */
export class CloudFailure extends Error {
  override name = 'CloudFailure'
  /** Null if there was no answer, or a meaningless one. */
  readonly status: number | null

  constructor(message: string, status: number | null = null, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}
