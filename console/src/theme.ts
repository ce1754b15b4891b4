import { type CSSVariablesResolver, createTheme } from '@mantine/core'

// Plain objects: importing the components here would put all of them into the first page.
const small = { defaultProps: { size: 'xs' } }

export const theme = createTheme({
  primaryColor: 'berth',
  primaryShade: { light: 7, dark: 7 },
  colors: {
    // As blue as our surfaces: Mantine's own are a warm grey.
    dark: [
      '#e4e9ed',
      '#b8c4ce',
      '#9fadb9',
      '#7d8b97',
      '#3b4852',
      '#2b363e',
      '#1b2329',
      '#171d22',
      '#12171b',
      '#0c1012',
    ],
    berth: [
      '#e6f6f8',
      '#c9e8ed',
      '#9dd3dc',
      '#6cbccb',
      '#45a6b9',
      '#2591a6',
      '#158095',
      '#0b7285',
      '#085c6c',
      '#064653',
    ],
  },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', monospace",
  fontSizes: { xs: '0.78rem', sm: '0.84rem', md: '0.9rem', lg: '1rem', xl: '1.15rem' },
  defaultRadius: 6,
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 'md' } },
    Button: small,
    Checkbox: small,
    Input: small,
    InputWrapper: small,
    Modal: { defaultProps: { centered: true, transitionProps: { duration: 120 } } },
    NumberInput: { defaultProps: { size: 'xs', hideControls: true } },
    Select: { defaultProps: { size: 'xs', allowDeselect: false } },
    TagsInput: small,
    Tabs: { defaultProps: { keepMounted: false } },
    Textarea: small,
    TextInput: small,
    Tooltip: {
      defaultProps: {
        openDelay: 150,
        maw: 360,
        multiline: true,
        events: { hover: true, focus: true, touch: true },
      },
    },
  },
})

/** Replaces Mantine's surfaces, and greys with too little contrast. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#17212b',
    '--mantine-color-dimmed': '#52606d',
    '--mantine-color-placeholder': '#66737f',
    '--mantine-color-default-border': '#d3d9df',
    '--mantine-color-error': '#b42318',
  },
  dark: {
    '--mantine-color-body': '#171d22',
    '--mantine-color-text': '#e4e9ed',
    '--mantine-color-dimmed': '#9fadb9',
    '--mantine-color-placeholder': '#8d9aa6',
    '--mantine-color-default': '#1d252b',
    '--mantine-color-default-hover': '#253038',
    '--mantine-color-default-border': '#37434d',
    '--mantine-color-error': '#ff8a80',
  },
})
