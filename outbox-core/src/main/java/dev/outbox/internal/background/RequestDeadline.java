package dev.outbox.internal.background;

import dev.outbox.internal.background.BackgroundQueries.Limit;
import dev.outbox.internal.background.BackgroundQueries.Limit.Kind;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.QueryTimeoutException;

/**
 * Deadline that the database calls of one request share, so that the request is answered within 2 s whatever the database does. The calls run
 * on threads of their own, which a hanging database may occupy. Safe for use by many threads.
 */
public final class RequestDeadline implements AutoCloseable {

    /** A command on a database that answers faster takes long only if it has much to do. */
    private static final Duration FAST = Duration.ofMillis(500);

    private final BackgroundQueries queries;
    private final BackgroundQueries commands;
    private final Callable<?> question;

    /**
     * Creates so many threads for queries, and as many for commands, when calls need them.
     *
     * @param question a query that shows how fast the database answers
     */
    public RequestDeadline(String name, int threads, Callable<?> question) {
        this.queries = new BackgroundQueries(name, threads, System::nanoTime);
        this.commands = new BackgroundQueries(name + "-command", threads, System::nanoTime);
        this.question = question;
    }

    @Override
    public void close() {
        queries.close();
        commands.close();
    }

    /** Answers a request that changes nothing. */
    public <T extends @Nullable Object> T read(Callable<T> request) throws Exception {
        return within(reads(BackgroundQueries.LONGEST_WAIT), request);
    }

    /**
     * Answers a request that changes something. If the database does not answer a question first, nothing changes. While it answers fast, the
     * request takes the time that it needs. Otherwise a change that does not end by the deadline continues without its request.
     */
    public <T extends @Nullable Object> T command(Callable<T> request) throws Exception {
        long begun = System.nanoTime();
        long deadline = begun + BackgroundQueries.LONGEST_WAIT.toNanos();
        try {
            queries.ask(question);
        } catch (DataAccessException ex) {
            throw new QueryTimeoutException("nothing was changed: the database does not answer", ex);
        }
        boolean fast = System.nanoTime() - begun < FAST.toNanos();
        return within(new Limit(deadline, fast ? Kind.FAST_COMMAND : Kind.COMMAND), request);
    }

    /** Makes a call of the request of this thread, which has to end by the deadline if there is one. */
    public <T extends @Nullable Object> T call(Callable<T> work) throws Exception {
        Limit limit = BackgroundQueries.REQUEST.get();
        if (limit == null) {
            return work.call();
        }
        return switch (limit.kind()) {
            case READ -> queries.ask(work);
            case COMMAND -> commands.perform(work, () -> Limit.left() > 0);
            case FAST_COMMAND -> commands.perform(work, () -> answersFast(limit));
        };
    }

    /** Asks the database, and continues with the limit of this thread. */
    private boolean answersFast(Limit limit) {
        BackgroundQueries.REQUEST.set(reads(FAST));
        try {
            queries.ask(question);
            return true;
        } catch (RuntimeException ex) {
            return false;
        } finally {
            BackgroundQueries.REQUEST.set(limit);
        }
    }

    /** Returns an object that forwards each {@link #call}. */
    public <T> T limited(Class<T> type, T target) {
        Object forwarding = Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call(() -> invoke(method, target, arguments)));
        return type.cast(forwarding);
    }

    private static @Nullable Object invoke(Method method, Object target, @Nullable Object @Nullable [] arguments)
            throws Exception {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException ex) {
            throw ex.getCause() instanceof Exception cause ? cause : ex;
        }
    }

    private static <T extends @Nullable Object> T within(Limit limit, Callable<T> request) throws Exception {
        BackgroundQueries.REQUEST.set(limit);
        try {
            return request.call();
        } finally {
            BackgroundQueries.REQUEST.remove();
        }
    }

    private static Limit reads(Duration time) {
        return new Limit(System.nanoTime() + time.toNanos(), Kind.READ);
    }
}
