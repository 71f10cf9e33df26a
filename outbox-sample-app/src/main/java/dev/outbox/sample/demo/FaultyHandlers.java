package dev.outbox.sample.demo;

import dev.outbox.OutboxHandler;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Interceptor around every handler method, outside its transaction, that injects failures, delays and hangs. It looks {@link Faults} up on
 * first use, because an interceptor of all handlers is created before most beans.
 */
final class FaultyHandlers implements MethodInterceptor {

    private static final long LOOK_AGAIN_MILLIS = 100;

    private final ObjectProvider<Faults> faults;
    private final RandomGenerator random;

    FaultyHandlers(ObjectProvider<Faults> faults, RandomGenerator random) {
        this.faults = faults;
        this.random = random;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        OutboxHandler handler = AnnotatedElementUtils.findMergedAnnotation(invocation.getMethod(), OutboxHandler.class);
        if (handler != null) {
            suffer(handler.id());
        }
        return invocation.proceed();
    }

    private void suffer(String handlerId) {
        Optional<HandlerFault> fault = faults.getObject().ofHandler(handlerId);
        if (fault.isPresent()) {
            pause(handlerId, fault.get().slowMillis());
            while (hangs(handlerId)) {
                pause(handlerId, LOOK_AGAIN_MILLIS);
            }
            if (random.nextInt(100) < fault.get().failPercent()) {
                throw new InjectedFaultException(handlerId + " was asked to fail");
            }
        }
    }

    private boolean hangs(String handlerId) {
        return faults.getObject()
                .ofHandler(handlerId)
                .filter(HandlerFault::hang)
                .isPresent();
    }

    private static void pause(String handlerId, long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new InjectedFaultException(handlerId + " was interrupted while it was asked to hang or to be slow");
        }
    }
}
