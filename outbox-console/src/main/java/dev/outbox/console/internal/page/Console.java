package dev.outbox.console.internal.page;

import static org.springframework.web.servlet.function.RequestPredicates.all;
import static org.springframework.web.servlet.function.RequestPredicates.methods;
import static org.springframework.web.servlet.function.RequestPredicates.path;
import static org.springframework.web.servlet.function.RouterFunctions.route;

import dev.outbox.console.internal.web.ConsoleSettings;
import dev.outbox.console.internal.web.Guard;
import dev.outbox.console.internal.web.UserSession;
import dev.outbox.console.internal.web.Views;
import dev.outbox.internal.background.RequestDeadline;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import dev.outbox.spring.internal.Rights.Right;
import java.time.Clock;
import java.util.Set;
import java.util.UUID;
import org.springframework.http.HttpMethod;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Addresses of the console. */
public final class Console implements AutoCloseable {

    /** More requests wait for each other, and leave the connections of a pool to the pollers. */
    private static final int MOST_CALLS = 8;

    private static final UUID NO_EVENT = new UUID(0, 0);

    private final RequestDeadline deadline;
    private final ConsoleSettings settings;
    private final OutboxInspector inspector;
    private final OutboxOperations operations;
    private final Replays replays;
    private final ScheduledEvents scheduled;
    private final Snapshots snapshots;

    /** Serves the pages for one outbox. */
    public Console(
            ConsoleSettings settings,
            OutboxInspector inspector,
            OutboxOperations operations,
            Replays replays,
            ScheduledEvents scheduled) {
        this.settings = settings;
        this.deadline = new RequestDeadline("outbox-console-request", MOST_CALLS, () -> inspector.findEvent(NO_EVENT));
        this.inspector = deadline.limited(OutboxInspector.class, inspector);
        this.operations = deadline.limited(OutboxOperations.class, operations);
        this.replays = deadline.limited(Replays.class, replays);
        this.scheduled = deadline.limited(ScheduledEvents.class, scheduled);
        this.snapshots = new Snapshots(inspector, operations, Clock.systemUTC(), System::nanoTime);
    }

    /** Begins to record the figures of the charts. */
    public void start() {
        snapshots.start();
    }

    @Override
    public void close() {
        snapshots.close();
        deadline.close();
    }

    /** Returns the routes of all pages, changes and files. Only POST changes anything. */
    public RouterFunction<ServerResponse> routes() {
        Views views = new Views(settings);
        Guard guard = new Guard(settings, views);
        OverviewPage overview = new OverviewPage(views, snapshots);
        FailuresPage failures = new FailuresPage(views, operations, snapshots);
        EventDetailsPage events = new EventDetailsPage(views, inspector, settings.showPayloads());
        LanePage lanes = new LanePage(views, inspector, operations);
        ReplayPages replay = new ReplayPages(views, replays, snapshots, failures);
        OperationsPage log = new OperationsPage(views, operations);
        ScheduledPage later = new ScheduledPage(views, scheduled);
        UserSession session = new UserSession(views);
        ErasurePage erasure = new ErasurePage(views, operations, snapshots);
        Actions actions = new Actions(views, operations, snapshots, failures, events, lanes);
        RouterFunctions.Builder routes = route();
        look(routes, "", overview::page);
        look(routes, "/overview/live", overview::live);
        look(routes, "/confirm", actions::confirm);
        look(routes, "/failures", failures::groups);
        look(routes, "/failures/group", failures::group);
        look(routes, "/events/{id}", events::page);
        look(routes, "/lanes", lanes::page);
        look(routes, "/search", new SearchPage(views, inspector)::page);
        look(routes, "/replays", replay::list);
        look(routes, "/replays/new", replay::form);
        look(routes, "/replays/preview", replay::preview);
        look(routes, "/replays/{id}", replay::page);
        look(routes, "/replays/{id}/live", replay::live);
        look(routes, "/operations", log::page);
        look(routes, "/operations/{id}", log::command);
        look(routes, "/scheduled", later::page);
        look(routes, "/tables", overview::tables);
        look(
                routes,
                "/",
                (request) -> views.redirect(request, views.links(request).home()));
        String path = settings.path();
        RouterFunction<ServerResponse> erasures = route().POST(path + "/expire", actions::expire)
                .GET(path + "/erase", erasure::page)
                .POST(path + "/erase", erasure::erase)
                .filter(guard.asking(Right.ERASE))
                .filter(this::inTime)
                .build();
        RouterFunction<ServerResponse> commands = route().POST(path + "/pause", actions::pause)
                .POST(path + "/resume", actions::resume)
                .POST(path + "/deliveries/retry", actions::retry)
                .POST(path + "/deliveries/skip", actions::skip)
                .POST(path + "/failures/bulk", replay::change)
                .POST(path + "/replays", replay::start)
                .POST(path + "/replays/{id}/cancel", replay::cancel)
                .POST(path + "/replays/{id}/again", replay::again)
                .POST(path + "/scheduled/deliver", later::deliver)
                .POST(path + "/scheduled/cancel", later::cancel)
                .filter(guard.asking(Right.COMMAND))
                .filter(this::inTime)
                .build();
        RouterFunction<ServerResponse> looks = routes.route(
                        path(path).or(path(path + "/**")).and(all()),
                        (request) -> views.notFound(request, "The console has no such page."))
                .filter(guard.asking(Right.LOOK))
                .filter(this::inTime)
                .build();
        return route().add(erasures)
                .add(commands)
                .GET(path + "/assets/{hash}/{name}", views::asset)
                .route(
                        path(path).or(path(path + "/**")).and(methods(HttpMethod.OPTIONS)),
                        (request) -> ServerResponse.noContent()
                                .allow(Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST))
                                .build())
                .GET(path + "/session", session::token)
                .POST(path + "/sign-out", session::end)
                .add(looks)
                .filter(guard)
                .build();
    }

    private ServerResponse inTime(ServerRequest request, HandlerFunction<ServerResponse> next) throws Exception {
        return request.method().equals(HttpMethod.POST)
                ? deadline.command(() -> next.handle(request))
                : deadline.read(() -> next.handle(request));
    }

    /** HEAD too: monitoring asks with it whether a page is there. */
    private void look(RouterFunctions.Builder routes, String page, HandlerFunction<ServerResponse> handler) {
        routes.route(methods(HttpMethod.GET, HttpMethod.HEAD).and(path(settings.path() + page)), handler);
    }
}
