/** A reporter for Jest that tells each test as it ends, on a line of its own: what is written stays, even if the process ends badly. */
export default class TestCaseReporter {
  onTestCaseResult(_file, { fullName, status, failureMessages }) {
    process.stderr.write(`\nTested ${JSON.stringify({ fullName, status, message: failureMessages?.[0] ?? '' })}\n`);
  }

  onTestFileResult(_file, { testExecError }) {
    if (testExecError) process.stderr.write(`\n${testExecError.message}\n`);
  }
}
