package dev.outbox.internal.background;

import dev.outbox.internal.background.BackgroundQueries.Limit;
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

    /** Creates so many threads when calls need them. */
    public RequestDeadline(String name, int threads) {
        this.queries = new BackgroundQueries(name, threads, System::nanoTime);
    }

    @Override
    public void close() {
        queries.close();
    }

    /** Answers a request that changes nothing. */
    public <T extends @Nullable Object> T read(Callable<T> request) throws Exception {
        return within(new Limit(deadline(), true), request);
    }

    /**
     * Answers a request that changes something. If the database does not answer a question first, nothing changes. If it answers fast, the
     * request takes the time that it needs. Otherwise a change that does not end by the deadline goes on without its request.
     */
    public <T extends @Nullable Object> T command(Callable<?> question, Callable<T> request) throws Exception {
        long begun = System.nanoTime();
        long deadline = deadline();
        try {
            within(new Limit(deadline, true), () -> call(question));
        } catch (DataAccessException ex) {
            throw new QueryTimeoutException("nothing was changed: the database does not answer", ex);
        }
        return System.nanoTime() - begun < FAST.toNanos()
                ? request.call()
                : within(new Limit(deadline, false), request);
    }

    /** Makes a call of the request of this thread, which has to end by the deadline if there is one. */
    public <T extends @Nullable Object> T call(Callable<T> work) throws Exception {
        Limit limit = BackgroundQueries.REQUEST.get();
        if (limit == null) {
            return work.call();
        }
        return limit.endsQueries() ? queries.ask(work) : queries.perform(work);
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

    private static long deadline() {
        return System.nanoTime() + BackgroundQueries.LONGEST_WAIT.toNanos();
    }
}
