/** A Jest reporter that prints each test on its own line when it ends, so that the results remain if the process crashes. */
export default class TestCaseReporter {
  onTestCaseResult(_file, { fullName, status, failureMessages }) {
    process.stderr.write(`\nTested ${JSON.stringify({ fullName, status, message: failureMessages?.[0] ?? '' })}\n`);
  }

  onTestFileResult(_file, { testExecError }) {
    if (testExecError) process.stderr.write(`\n${testExecError.message}\n`);
  }
}
