package dev.outbox.console.internal.page;

import static org.springframework.web.servlet.function.RequestPredicates.all;
import static org.springframework.web.servlet.function.RouterFunctions.route;

import dev.outbox.console.internal.web.ConsoleSettings;
import dev.outbox.console.internal.web.Guard;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import java.time.Clock;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/** Addresses of the console. Only POST changes anything. */
public final class Console {

    private final ConsoleSettings settings;
    private final OutboxInspector inspector;
    private final OutboxOperations operations;
    private final Replays replays;

    /** Serves the pages for one outbox. */
    public Console(ConsoleSettings settings, OutboxInspector inspector, OutboxOperations operations, Replays replays) {
        this.settings = settings;
        this.inspector = inspector;
        this.operations = operations;
        this.replays = replays;
    }

    /** Returns the routes of all pages, changes and files. */
    public RouterFunction<ServerResponse> routes() {
        Views views = new Views(settings);
        Snapshots snapshots = new Snapshots(inspector, Clock.systemUTC());
        RouterFunctions.Builder routes = route();
        read(routes, views, snapshots);
        change(routes, views, snapshots);
        String path = settings.path();
        return routes.GET(path + "/assets/{hash}/{name}", views::asset)
                .route(
                        RequestPredicates.path(path)
                                .or(RequestPredicates.path(path + "/**"))
                                .and(all()),
                        (request) -> views.notFound(request, "The console has no such page."))
                .filter(new Guard(settings, views))
                .build();
    }

    private void read(RouterFunctions.Builder routes, Views views, Snapshots snapshots) {
        OverviewPage overview = new OverviewPage(views, snapshots);
        FailuresPage failures = new FailuresPage(views, inspector, operations);
        EventDetailsPage events = new EventDetailsPage(views, inspector, settings.showPayloads());
        LanePage lanes = new LanePage(views, inspector);
        SearchPage search = new SearchPage(views, inspector);
        ReplayPages replay = new ReplayPages(views, replays, snapshots);
        OperationsPage log = new OperationsPage(views, operations);
        String path = settings.path();
        routes.GET(path, overview::page)
                .GET(path + "/overview/live", overview::live)
                .GET(path + "/overview/samples", overview::samples)
                .GET(path + "/confirm", overview::confirm)
                .GET(path + "/failures", failures::groups)
                .GET(path + "/failures/group", failures::group)
                .GET(path + "/events/{id}", events::page)
                .GET(path + "/lanes", lanes::page)
                .GET(path + "/search", search::page)
                .GET(path + "/replays", replay::list)
                .GET(path + "/replays/new", replay::form)
                .GET(path + "/replays/preview", replay::preview)
                .GET(path + "/replays/{id}", replay::page)
                .GET(path + "/replays/{id}/live", replay::live)
                .GET(path + "/operations", log::page);
    }

    private void change(RouterFunctions.Builder routes, Views views, Snapshots snapshots) {
        Actions actions = new Actions(views, operations, snapshots);
        BulkActions bulk = new BulkActions(views, inspector, operations);
        ReplayPages replay = new ReplayPages(views, replays, snapshots);
        String path = settings.path();
        routes.POST(path + "/pause", actions::pause)
                .POST(path + "/resume", actions::resume)
                .POST(path + "/deliveries/retry", actions::retry)
                .POST(path + "/deliveries/skip", actions::skip)
                .POST(path + "/failures/bulk", bulk::step)
                .POST(path + "/replays", replay::start)
                .POST(path + "/replays/{id}/cancel", replay::cancel);
    }
}
