package dev.outbox.test.autoconfigure;

import dev.outbox.test.OutboxTester;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;
import org.springframework.test.context.transaction.TransactionalTestExecutionListener;

/**
 * Empties the tables of the outbox after each test method, when its transaction has ended, and before the first one of a context, because
 * the application may have published when it started.
 */
final class OutboxCleanUpListener implements TestExecutionListener, Ordered {

    /** After a test method, listeners run in the reverse order. */
    private static final int AFTER_THE_TRANSACTION = new TransactionalTestExecutionListener().getOrder() - 100;

    private static final Set<ApplicationContext> CLEAN =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    @Override
    public void beforeTestMethod(TestContext testContext) {
        if (testContext.hasApplicationContext() && CLEAN.add(testContext.getApplicationContext())) {
            cleanUp(testContext);
        }
    }

    @Override
    public void afterTestMethod(TestContext testContext) {
        cleanUp(testContext);
    }

    private static void cleanUp(TestContext testContext) {
        if (testContext.hasApplicationContext()) {
            testContext
                    .getApplicationContext()
                    .getBeanProvider(OutboxTester.class)
                    .ifAvailable(OutboxTester::cleanUp);
        }
    }

    @Override
    public int getOrder() {
        return AFTER_THE_TRANSACTION;
    }
}
