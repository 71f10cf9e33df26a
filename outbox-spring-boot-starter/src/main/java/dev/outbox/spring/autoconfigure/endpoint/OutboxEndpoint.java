package dev.outbox.spring.autoconfigure.endpoint;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.background.BackgroundQueries;
import dev.outbox.internal.background.BackgroundQueries.Known;
import dev.outbox.internal.background.RequestDeadline;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.spring.internal.RequestFilters;
import dev.outbox.spring.internal.Rights;
import dev.outbox.spring.internal.Rights.Right;
import java.security.Principal;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.QueryTimeoutException;

/**
 * State of the outbox over HTTP, and the commands of operators. Read-only, unless {@code management.endpoint.outbox.access} is
 * {@code unrestricted}. Answers with an {@code error} and the status 400 to an invalid or unknown value, 404 to what does not exist, 403 to a
 * user without the authority and to a command without an authenticated user unless a property allows it, and 503 if the database does
 * not answer within 2 s, or refuses a privilege.
 */
@WebEndpoint(id = "outbox", defaultAccess = Access.READ_ONLY)
final class OutboxEndpoint implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(OutboxEndpoint.class);

    private static final int FORBIDDEN = 403;

    /** Of an overview, which says when it was read. */
    private static final Duration OLDEST = Duration.ofMinutes(1);

    private final EndpointReads reads;
    private final EndpointWrites writes;
    private final Rights rights;
    private final boolean allowAnonymousWrites;
    private final RequestDeadline deadline;
    private final BackgroundQueries queries = new BackgroundQueries("outbox-endpoint", 1, System::nanoTime);
    private final BackgroundQueries.Cached<Object> overview;

    OutboxEndpoint(EndpointReads reads, EndpointWrites writes, Rights rights, boolean allowAnonymousWrites) {
        this.reads = reads;
        this.writes = writes;
        this.rights = rights;
        this.allowAnonymousWrites = allowAnonymousWrites;
        this.deadline = new RequestDeadline("outbox-endpoint", 4, reads::ask);
        this.overview = queries.cached(reads::overview, Duration.ZERO);
    }

    /** Ends the threads of the endpoint together with its context. */
    @Override
    public void close() {
        queries.close();
        deadline.close();
    }

    /** Returns the state of all streams, handlers and instances, up to a minute old while the database is slow or does not answer. */
    @ReadOperation
    WebEndpointResponse<Object> overview(SecurityContext security) {
        return answer(security, Right.LOOK, "the overview", "", () -> {
            Known<Object> known = overview.latest();
            RuntimeException trouble = known.trouble();
            if (trouble != null && known.age().compareTo(OLDEST) > 0) {
                throw trouble;
            }
            return known.value();
        });
    }

    /** Returns a part of the state, such as {@code deliveries}. A filter that does not apply to the part is refused. */
    @ReadOperation
    WebEndpointResponse<Object> find(
            SecurityContext security,
            @Selector String part,
            @Nullable String stream,
            @Nullable String handler,
            @Nullable String aggregateType,
            @Nullable String aggregateId,
            @Nullable String event,
            @Nullable String eventType,
            @Nullable String errorCode,
            @Nullable String status,
            @Nullable String since,
            @Nullable String until,
            @Nullable String trace,
            @Nullable String actor,
            @Nullable String after,
            @Nullable String limit) {
        Map<String, @Nullable String> values = new HashMap<>();
        values.put("stream", stream);
        values.put("handler", handler);
        values.put("aggregateType", aggregateType);
        values.put("aggregateId", aggregateId);
        values.put("event", event);
        values.put("eventType", eventType);
        values.put("errorCode", errorCode);
        values.put("status", status);
        values.put("since", since);
        values.put("until", until);
        values.put("trace", trace);
        values.put("actor", actor);
        values.put("after", after);
        values.put("limit", limit);
        return read(security, "a part '" + part + "'", () -> reads.find(part, new RequestFilters(values)));
    }

    /** Returns one event or replay. */
    @ReadOperation
    WebEndpointResponse<Object> get(SecurityContext security, @Selector String part, @Selector String id) {
        return read(security, "'" + id + "' in '" + part + "'", () -> reads.get(part, id));
    }

    /** Performs a command, and records it with the authenticated user as its operator, or with {@code actor} if there is none. */
    @WriteOperation
    WebEndpointResponse<Object> perform(
            SecurityContext security,
            @Selector String command,
            @Nullable String selection,
            @Nullable String handler,
            @Nullable String stream,
            @Nullable String replay,
            @Nullable String event,
            @Nullable String eventType,
            @Nullable String rate,
            @Nullable String inbox,
            @Nullable String at,
            @Nullable String duration,
            @Nullable String reason,
            @Nullable String actor) {
        if (security.getPrincipal() == null && !allowAnonymousWrites) {
            return refused(
                    FORBIDDEN,
                    "commands need an authenticated user: protect /actuator with Spring Security, or set"
                            + " outbox.endpoint.allow-anonymous-writes=true if only operators can reach it");
        }
        Map<String, @Nullable String> values = new HashMap<>();
        values.put("selection", selection);
        values.put("handler", handler);
        values.put("stream", stream);
        values.put("replay", replay);
        values.put("event", event);
        values.put("eventType", eventType);
        values.put("rate", rate);
        values.put("inbox", inbox);
        values.put("at", at);
        values.put("duration", duration);
        EndpointWrites.Audit audit = new EndpointWrites.Audit(operator(security, actor), reason);
        WebEndpointResponse<Object> answer = answer(
                security,
                EndpointWrites.right(command),
                command.equals("cancel") ? "a replay " + replay : "a command '" + command + "'",
                "",
                () -> deadline.command(
                        () -> deadline.call(() -> writes.perform(command, new RequestFilters(values), audit))));
        overview.expire();
        return answer;
    }

    private static @Nullable String operator(SecurityContext security, @Nullable String actor) {
        return security.getPrincipal() == null ? actor : security.getPrincipal().getName();
    }

    private WebEndpointResponse<Object> read(SecurityContext security, String what, Supplier<@Nullable Object> work) {
        return answer(
                security,
                Right.LOOK,
                what,
                "; if the database is healthy, add a filter",
                () -> deadline.read(() -> deadline.call(work::get)));
    }

    private WebEndpointResponse<Object> answer(
            SecurityContext security, Right right, String what, String afterTimeout, Callable<@Nullable Object> work) {
        Principal user = security.getPrincipal();
        if (user != null && !rights.allow(right, user)) {
            return refused(FORBIDDEN, rights.refusal(right, user.getName()));
        }
        try {
            Object body = work.call();
            return body == null
                    ? refused(WebEndpointResponse.STATUS_NOT_FOUND, "the outbox does not have " + what)
                    : new WebEndpointResponse<>(body);
        } catch (InvalidOperationException ex) {
            return refused(ex);
        } catch (OutboxConfigurationException ex) {
            return refused(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, String.valueOf(ex.getMessage()));
        } catch (DataAccessException ex) {
            log.warn("The actuator endpoint could not use the database", ex);
            return refused(
                    WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
                    ex instanceof QueryTimeoutException
                            ? ex.getMessage() + afterTimeout
                            : "the database failed: see the log of the instance");
        } catch (RuntimeException ex) {
            throw ex;
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
    }

    static WebEndpointResponse<Object> refused(InvalidOperationException ex) {
        return refused(WebEndpointResponse.STATUS_BAD_REQUEST, String.valueOf(ex.getMessage()));
    }

    private static WebEndpointResponse<Object> refused(int status, String error) {
        return new WebEndpointResponse<>(Map.of("error", error), status);
    }
}
