import { Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { Page, Panel } from './page.tsx'

interface Props {
  /** The error is cleared when this changes. */
  readonly at: string
  readonly children: ReactNode
}

interface State {
  readonly error: unknown
  readonly at: string
}

/** An error boundary: shows the error, and keeps the rest of the page. */
export class Boundary extends Component<Props, State> {
  override state: State = { error: null, at: this.props.at }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error }
  }

  static getDerivedStateFromProps({ at }: Props, state: State): Partial<State> | null {
    return at === state.at ? null : { error: null, at }
  }

  override render(): ReactNode {
    return this.state.error === null ? this.props.children : <Broken error={this.state.error} />
  }
}

/** Error texts of browsers for code that cannot be loaded. */
const isMissingCode = (error: unknown): boolean =>
  /dynamically imported module|importing a module script|preload CSS/i.test(
    error instanceof Error ? error.message : '',
  )

function Broken({ error }: { readonly error: unknown }) {
  const isMissing = isMissingCode(error)
  return (
    <Page title={isMissing ? 'This view could not be loaded' : 'This view broke'}>
      <Panel>
        <div role="alert">
          <p>
            {isMissing
              ? 'Its code did not arrive: the server was updated since this page was opened, or the connection is lost. Load the page again to go on.'
              : 'That is a fault of the console, and nothing was changed on the server by it. Load the page again, or go to another view.'}
          </p>
          <p className="soft">
            <code>{error instanceof Error ? error.message : String(error)}</code>
          </p>
        </div>
        <Button size="sm" onClick={() => location.reload()}>
          Load the page again
        </Button>
      </Panel>
    </Page>
  )
}
