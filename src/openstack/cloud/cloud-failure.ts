/** A service of the cloud does not answer as it should. One plain line that names the service. */
export class CloudFailure extends Error {
  override name = 'CloudFailure'
  /** Null where no answer came, or none that makes sense. */
  readonly status: number | null

  constructor(message: string, status: number | null = null, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}
