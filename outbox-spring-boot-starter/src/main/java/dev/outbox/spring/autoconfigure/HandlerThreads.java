package dev.outbox.spring.autoconfigure;

import dev.outbox.runtime.Surroundings;
import java.util.concurrent.ThreadFactory;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** The threads on which handlers run where there is more than one: virtual where the application wants such and the JVM has them. */
final class HandlerThreads {

    private HandlerThreads() {}

    static ThreadFactory of(Environment environment) {
        return Threading.VIRTUAL.isActive(environment)
                ? new VirtualThreadTaskExecutor("outbox-handler-").getVirtualThreadFactory()
                : Surroundings.daemons();
    }
}
