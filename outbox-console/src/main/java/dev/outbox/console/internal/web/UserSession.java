package dev.outbox.console.internal.web;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Session of the signed-in user: the token for its forms, and its end. */
public final class UserSession {

    private final Views views;

    /** Serves the sessions of users. */
    public UserSession(Views views) {
        this.views = views;
    }

    /** Sends the token that forms of the present session need, so that a page outlives the session in which it was loaded. */
    public ServerResponse token(ServerRequest request) {
        return views.fragment(request, "parts", "who", Map.of());
    }

    /** Ends the session, with the logout handlers of Spring Security, and leads to the login of the application. */
    public ServerResponse end(ServerRequest request) throws ServletException {
        HttpServletRequest servletRequest = request.servletRequest();
        servletRequest.logout();
        HttpSession session = servletRequest.getSession(false);
        if (session != null) {
            session.invalidate();
        }
        return views.redirect(request, views.links(request).home());
    }

    /** Returns whether a session identifies the user: a browser sends the credentials of a header again. */
    static boolean identifies(ServerRequest request) {
        return request.principal().isPresent() && request.headers().firstHeader(HttpHeaders.AUTHORIZATION) == null;
    }
}
