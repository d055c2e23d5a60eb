// What lib/ takes of Powertools' Logger and Metrics, doing nothing.

export class Logger {
  info() {}
  warn() {}
  error() {}
}

export const injectLambdaContext = () => ({ before() {} });

export class Metrics {
  addMetric() {}
  addDimensions() {
    return this;
  }
  serializeMetrics() {
    return { _aws: { CloudWatchMetrics: [] } };
  }
  clearMetrics() {}
  clearDimensions() {}
}

export const MetricUnit = { Count: 'Count' };
