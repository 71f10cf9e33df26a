package dev.outbox.console.internal.web;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.spring.internal.Rights;
import dev.outbox.spring.internal.Rights.Right;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.util.StringUtils;
import org.springframework.web.servlet.function.HandlerFilterFunction;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Refuses requests of other sites, and of users without a right, whatever the application allows, and turns exceptions into pages. */
public final class Guard implements HandlerFilterFunction<ServerResponse, ServerResponse> {

    private static final Logger log = LoggerFactory.getLogger(Guard.class);

    /** Names and addresses of this machine, which no other site can claim. */
    private static final Pattern LOOPBACK =
            Pattern.compile("((.+\\.)?localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d+)?", Pattern.CASE_INSENSITIVE);

    private final ConsoleSettings settings;
    private final Views views;

    /** Guards the pages. */
    public Guard(ConsoleSettings settings, Views views) {
        this.settings = settings;
        this.views = views;
    }

    @Override
    public ServerResponse filter(ServerRequest request, HandlerFunction<ServerResponse> next) {
        if (!settings.insecure() && request.principal().isEmpty()) {
            return views.problem(
                    request,
                    HttpStatus.UNAUTHORIZED,
                    "You are signed out",
                    request.method().equals(HttpMethod.POST)
                            ? "Nothing was changed. Sign in to the application in another tab, then go back: the form keeps"
                                    + " what you typed."
                            : "The console needs a signed-in user. Sign in to the application, then load this page again.");
        }
        if (request.principal().isEmpty() && !isLocal(request)) {
            return views.problem(
                    request,
                    HttpStatus.FORBIDDEN,
                    "Only at localhost",
                    "In insecure mode, the console answers at localhost only: a page of another site could otherwise use it"
                            + " through a name of its own. Add Spring Security to use it from elsewhere.");
        }
        if (request.method().equals(HttpMethod.POST) && !SameOrigin.sent(request)) {
            return views.problem(
                    request,
                    HttpStatus.FORBIDDEN,
                    "Request of another site",
                    "Nothing was changed, because the request did not come from a page of this console.");
        }
        return handled(request, next);
    }

    /** Refuses requests of users without a right. */
    public HandlerFilterFunction<ServerResponse, ServerResponse> asking(Right right) {
        return (request, next) -> {
            Rights rights = settings.rights();
            return rights == null || settings.allow(right, request)
                    ? next.handle(request)
                    : views.problem(
                            request, HttpStatus.FORBIDDEN, "Not allowed", rights.refusal(right, Operators.of(request)));
        };
    }

    /** Returns whether the browser called this machine. A page can forge what proxies forward, but not the header Host. */
    private static boolean isLocal(ServerRequest request) {
        String host = request.headers().asHttpHeaders().getFirst(HttpHeaders.HOST);
        return isLoopback(request.uri().getHost()) && (host == null || isLoopback(host));
    }

    private static boolean isLoopback(@Nullable String host) {
        return host != null && LOOPBACK.matcher(host).matches();
    }

    private ServerResponse handled(ServerRequest request, HandlerFunction<ServerResponse> next) {
        try {
            return next.handle(request);
        } catch (InvalidOperationException | OutboxConfigurationException e) {
            return views.problem(request, HttpStatus.BAD_REQUEST, "Not possible", String.valueOf(e.getMessage()));
        } catch (DataAccessException | CannotCreateTransactionException e) {
            return withoutDatabase(request, e);
        } catch (Exception e) {
            log.error("Page {} failed", request.path(), e);
            return views.problem(
                    request,
                    HttpStatus.INTERNAL_SERVER_ERROR,
                    "The page failed",
                    "An unexpected error occurred. The log of the application has the details.");
        }
    }

    private ServerResponse withoutDatabase(ServerRequest request, RuntimeException e) {
        log.warn("Page {} failed: {}", request.path(), e.toString());
        return views.problem(
                request,
                HttpStatus.SERVICE_UNAVAILABLE,
                title(e),
                "The state of the outbox is in the database. Events are safe there. The log of the application has the"
                        + " details. " + remedy(request, e));
    }

    private static String title(RuntimeException e) {
        if (e instanceof QueryTimeoutException) {
            return "The database is slow, or does not answer";
        }
        boolean unreachable = e instanceof NonTransientDataAccessResourceException
                || e instanceof TransientDataAccessException
                || e instanceof CannotCreateTransactionException;
        return unreachable ? "The database does not answer" : "The database refused a statement";
    }

    private static String remedy(ServerRequest request, RuntimeException e) {
        if (!request.method().equals(HttpMethod.POST)) {
            return "Load this page again when the database is back.";
        }
        return e instanceof QueryTimeoutException
                ? StringUtils.capitalize(String.valueOf(e.getMessage())) + "."
                : "The command may have been carried out: look for it in the operation log before you repeat it.";
    }
}
