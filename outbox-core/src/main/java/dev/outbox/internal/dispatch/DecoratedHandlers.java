package dev.outbox.internal.dispatch;

import dev.outbox.BatchHandler.Batch;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerInterceptor;
import dev.outbox.HandlerInterceptor.Chain;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.publish.TransactionPhase;
import dev.outbox.internal.publish.TransactionPhase.Ending;
import dev.outbox.internal.sql.BoundConnection;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.listener.OutboxListener;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;

/** Adds the lease, timeout, deduplication, interceptors and supervision to the application's handlers. */
public record DecoratedHandlers(
        DispatchSettings settings,
        DataSource dataSource,
        OutboxSchema schema,
        TransactionPhase phase,
        Supplier<Optional<PlatformTransactionManager>> transactions,
        Supplier<Stream<HandlerInterceptor>> interceptors,
        OutboxListener listener) {

    /**
     * The inbox encloses the time limit, so that an interrupted attempt is rolled back. Interceptors enclose the inbox, so that the
     * context that they restore is there before its transaction begins.
     */
    public List<HandlerDefinition> of(Collection<HandlerDefinition> found, RunningHandlers running) {
        TimeLimit limit = new TimeLimit();
        List<HandlerInterceptor> outermostFirst = interceptors.get().toList();
        return found.stream()
                .map((handler) -> {
                    HandlerDefinition decorated = decorated(handler, running, limit, outermostFirst);
                    return SingleFailures.isMarked(handler) ? SingleFailures.markedOn(decorated) : decorated;
                })
                .toList();
    }

    private HandlerDefinition decorated(
            HandlerDefinition found,
            RunningHandlers running,
            TimeLimit limit,
            List<HandlerInterceptor> outermostFirst) {
        HandlerDefinition handler = underLease(found);
        Duration timeout = settings.timeoutOf(handler);
        if (timeout != null) {
            handler = limit.around(handler, timeout);
        }
        if (handler.deduplicates()) {
            requireOutcomesAtReturn(found);
            handler = inboxOf(handler).before(handler);
        }
        handler = running.timed(failingIfRolledBack(handler));
        if (!outermostFirst.isEmpty()) {
            handler = intercepted(handler, outermostFirst);
        }
        return running.around(handler);
    }

    private HandlerDefinition underLease(HandlerDefinition handler) {
        BoundConnection transaction = new BoundConnection(dataSource);
        return handler.decorated((own) -> (payload, envelope, context) -> {
            if (context instanceof Attempt attempt) {
                attempt.requireLease(transaction);
            }
            own.handle(payload, envelope, context);
        });
    }

    private static void requireOutcomesAtReturn(HandlerDefinition handler) {
        if (SingleFailures.isMarked(handler)) {
            throw new OutboxConfigurationException(
                    "handler '" + handler.id()
                            + "' has deduplicate = true, but its outcomes may come after it has returned, when the"
                            + " transaction that records the events as processed has ended",
                    "remove deduplicate, and let the receiver drop duplicates by the event id",
                    null);
        }
    }

    private DeduplicationInbox inboxOf(HandlerDefinition handler) {
        return new DeduplicationInbox(new ProcessedEventStore(dataSource, schema), managerFor(handler), listener);
    }

    private PlatformTransactionManager managerFor(HandlerDefinition handler) {
        return transactions
                .get()
                .orElseThrow(() -> new OutboxConfigurationException(
                        "handler '" + handler.id()
                                + "' has deduplicate = true, but no unique transaction manager for the"
                                + " outbox's DataSource exists",
                        "define one for it, or mark one of several @Primary",
                        null));
    }

    /** Fails an attempt whose last transaction was rolled back without an exception: its work is lost. */
    private HandlerDefinition failingIfRolledBack(HandlerDefinition handler) {
        CommittedFailures committed = new CommittedFailures(handler.id());
        return handler.decorated((own) -> (payload, envelope, context) -> {
            Ending ending = Ending.NONE;
            phase.beginWatch();
            try {
                own.handle(payload, envelope, context);
                ending = phase.endWatch();
            } catch (Throwable ex) {
                committed.failed(ex, phase.endWatch());
                throw ex;
            }
            if (ending == Ending.SILENT_ROLLBACK) {
                throw new UnexpectedRollbackException(
                        "the handler returned, but its last transaction was rolled back because of setRollbackOnly, so its"
                                + " work is lost; throw an exception to fail, or commit the transaction to succeed");
            }
        });
    }

    private static HandlerDefinition intercepted(HandlerDefinition handler, List<HandlerInterceptor> interceptors) {
        boolean batch = handler.isBatch();
        return handler.decorated((own) -> (payload, envelope, context) -> {
            HandlerInterceptor.Call call = new HandlerInterceptor.Call(
                    handler.id(), batch ? ((Batch) payload).events() : List.of(envelope), context);
            chain(interceptors, call, 0, () -> own.handle(payload, envelope, context))
                    .proceed();
        });
    }

    private static Chain chain(
            List<HandlerInterceptor> interceptors, HandlerInterceptor.Call call, int next, Chain handler) {
        if (next == interceptors.size()) {
            return handler;
        }
        HandlerInterceptor interceptor = interceptors.get(next);
        return () -> {
            Once rest = new Once(interceptor, chain(interceptors, call, next + 1, handler));
            interceptor.intercept(call, rest);
            rest.requireProceeded();
        };
    }

    /** Part of the chain behind an interceptor. An event that no handler got must not count as handled. */
    private static final class Once implements Chain {

        private final HandlerInterceptor interceptor;
        private final Chain rest;
        private boolean proceeded;

        Once(HandlerInterceptor interceptor, Chain rest) {
            this.interceptor = interceptor;
            this.rest = rest;
        }

        @Override
        public void proceed() throws Exception {
            if (proceeded) {
                throw new IllegalStateException(
                        "the interceptor " + interceptor.getClass().getName() + " called proceed() twice");
            }
            proceeded = true;
            rest.proceed();
        }

        void requireProceeded() {
            if (!proceeded) {
                throw new IllegalStateException("the interceptor "
                        + interceptor.getClass().getName()
                        + " returned without a call to proceed(), so the handler was not invoked; throw an exception to"
                        + " fail the attempt");
            }
        }
    }
}
