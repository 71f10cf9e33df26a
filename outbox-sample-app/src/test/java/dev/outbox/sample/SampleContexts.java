package dev.outbox.sample;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Ends the faults that a test injected, and closes the contexts in Spring's cache after the last test of a process. Shutdown hooks run concurrently: a context that is left to its
 * hook waits for a PostgreSQL server that has already stopped.
 */
final class SampleContexts implements BeforeEachCallback, AfterEachCallback {

    private static final Namespace NAMESPACE = Namespace.create(SampleContexts.class);

    @Override
    public void beforeEach(ExtensionContext test) {
        ApplicationContext context = SpringExtension.getApplicationContext(test);
        if (context instanceof ConfigurableApplicationContext closeable) {
            test.getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE)
                    .computeIfAbsent(context, (key) -> (AutoCloseable) closeable::close);
        }
    }

    @Override
    public void afterEach(ExtensionContext test) {
        SpringExtension.getApplicationContext(test).getBean(Api.class).delete("/demo/faults");
    }
}
