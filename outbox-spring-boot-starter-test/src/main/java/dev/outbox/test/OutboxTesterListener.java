package dev.outbox.test;

import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;
import org.springframework.test.context.transaction.TransactionalTestExecutionListener;

/**
 * Fails a test method that leaves an unexpected failure of a handler. Empties the tables of the outbox after each test method, when its
 * transaction has ended, and before it, because the application may have published when its context started or resumed.
 */
final class OutboxTesterListener implements TestExecutionListener, Ordered {

    /** After a test method, listeners run in the reverse order. */
    private static final int AFTER_THE_TRANSACTION = new TransactionalTestExecutionListener().getOrder() - 100;

    @Override
    public void beforeTestMethod(TestContext testContext) {
        if (testContext.hasApplicationContext()) {
            testContext
                    .getApplicationContext()
                    .getBeanProvider(OutboxTester.class)
                    .ifAvailable(OutboxTester::cleanUp);
        }
    }

    @Override
    public void afterTestMethod(TestContext testContext) {
        if (testContext.hasApplicationContext()) {
            testContext
                    .getApplicationContext()
                    .getBeanProvider(OutboxTester.class)
                    .ifAvailable((tester) -> tester.endTest(testContext.getTestException()));
        }
    }

    @Override
    public int getOrder() {
        return AFTER_THE_TRANSACTION;
    }
}
