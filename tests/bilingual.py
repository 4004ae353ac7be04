"""Abstracts with sound Chinese translations, written for the tests: nothing in them is wrong."""

from __future__ import annotations

from scheduler.models import Paper, Wording
from tests.builders import paper

_PAIRS = (
    (
        "KiteRL: Learning to Fly Kites from 3.6k Demonstrations",
        "KiteRL：从3.6k次示范中学会放风筝",
        "Flying a kite needs quick decisions in gusty wind. We present KiteRL, a reinforcement learning "
        "(RL) method that learns from 3.6k demonstrations and 1.2 million simulated flights. On "
        "KiteBench-2, KiteRL stays aloft in 87.5% of 240 trials, 12.4 percentage points more than PPO, "
        "and it needs 4.3x fewer samples. A flight costs $0.85 on average. The policy π_θ has only 7B "
        "parameters and runs at 50 Hz on a Jetson Orin. Code: https://kites.example/rl",
        "在阵风中放风筝需要快速决策。我们提出KiteRL，一种强化学习（RL）方法，它从3.6k次示范和12"
        "0万次模拟飞行中学习。在KiteBench-2上，KiteRL在240次试验中有87.5%保持升空，"
        "比PPO高12.4个百分点，所需样本减少4.3倍。每次飞行平均花费0.85美元。策略π_θ仅有7B参"
        "数，在Jetson Orin上以50 Hz运行。代码：https://kites.example/r"
        "l",
    ),
    (
        "Sailing Blind: Mapping Currents with Two Buoys",
        "盲航：用两个浮标绘制海流图",
        "Charts of coastal currents are old and incomplete. We study whether two drifting buoys are "
        "enough to draw a new one. A variational model reads their tracks, one position every 15 "
        "minutes, and returns a map with its uncertainty. Across 18 bays in 5 countries, the error falls "
        "from 0.42 m/s to 0.19 m/s. More buoys help little: a third one lowers the error by only 3%. We "
        "conclude that patience is worth more than hardware.",
        "沿海海流图陈旧且不完整。我们研究两个漂流浮标是否足以绘制一张新图。变分模型读取它们的轨迹（每15分钟"
        "一个位置），并返回带有不确定性的地图。在5个国家的18个海湾中，误差从0.42 m/s降至0.19 "
        "m/s。更多浮标帮助不大：第三个浮标仅使误差降低3%。我们的结论是，耐心比硬件更有价值。",
    ),
    (
        "OrchardNet: Counting Apples at Dusk",
        "OrchardNet：在黄昏数苹果",
        "Counting fruit by camera fails when light fades. OrchardNet fuses thermal images with RGB "
        "frames and counts apples until 40 minutes after sunset. It is trained on 52,000 labelled trees "
        "from 11 orchards. On the AppleDusk test set it reaches an F1 score of 0.91, against 0.78 for "
        "YOLOv8 and 0.74 for Mask R-CNN. Half of the remaining errors are double counts. The data set is "
        "released under CC BY 4.0.",
        "光线变暗时，用相机数果实会失败。OrchardNet将热成像与RGB帧融合，可在日落后40分钟内数苹"
        "果。它在来自11个果园的52,000棵带标注的树上训练。在AppleDusk测试集上，它的F1分数达"
        "到0.91，而YOLOv8为0.78，Mask R-CNN为0.74。剩余错误中有一半是重复计数。数"
        "据集以CC BY 4.0许可发布。",
    ),
    (
        "How Long Should a Tutor Wait? Pauses in Spoken Lessons",
        "导师应等待多久？口语课中的停顿",
        "Human tutors pause before they help, and automatic ones do not. We record 96 lessons of twenty "
        "minutes each and measure every silence. Pupils answer by themselves in 61% of the cases when "
        "the tutor waits at least 3 s, and in 34% when it waits less than 1 s. An LLM tutor that waits "
        "like a person raises test scores by 0.3 standard deviations. The effect is largest for shy "
        "pupils. We give a simple rule that any system can follow.",
        "人类导师在帮助之前会停顿，而自动导师不会。我们记录了96节课，每节二十分钟，并测量每一次沉默。当导师"
        "至少等待3 s时，61%的情况下学生会自己回答；等待不到1 s时为34%。像人一样等待的大语言模型导"
        "师使测试成绩提高0.3个标准差。对害羞的学生效果最大。我们给出了一条任何系统都能遵循的简单规则。",
    ),
    (
        "LatticeGPT: Language Models for Crystal Growth",
        "LatticeGPT：用于晶体生长的语言模型",
        "Growing a crystal takes weeks and often fails. We introduce LatticeGPT, a language model with "
        "1.5B parameters that reads lab notes and proposes the next step. It was trained on 10⁶ notes by "
        "SFT and then by GRPO. In a blind trial with 24 chemists, its proposals were preferred in 66.7% "
        "of cases, and yield rose from 41% to 58%. The complexity of one step is O(n²). We discuss "
        "failures with Bi₂Te₃ and release the weights.",
        "培育一块晶体需要数周，而且常常失败。我们提出LatticeGPT，一个拥有15亿参数的语言模型，它阅"
        "读实验记录并提出下一步。它先用SFT、再用GRPO在10⁶条记录上训练。在24位化学家参加的盲测中，"
        "其建议在66.7%的情况下更受青睐，产率从41%升至58%。每一步的复杂度为O(n²)。我们讨论了B"
        "i₂Te₃上的失败并发布权重。",
    ),
    (
        "Auctions for Shared Telescopes",
        "共享望远镜的拍卖",
        "Observing time is scarce, and committees are slow. We design an auction in which groups bid "
        "with credits that they earn by sharing data. In a simulation with 300 groups over 10 years, "
        "waiting time falls by half, from 8.2 to 4.1 months. No group loses more than 2% of its share. "
        "The mechanism is truthful when at least three groups compete. Two observatories will test it in "
        "2027.",
        "观测时间稀缺，而委员会行动缓慢。我们设计了一种拍卖，各团队用分享数据获得的点数出价。在对300个团队"
        "、10年的模拟中，等待时间减少一半，从8.2个月降至4.1个月。没有团队损失超过2%的份额。当至少三"
        "个团队竞争时，该机制是诚实的。两座天文台将在2027年测试它。",
    ),
)

SOUND: tuple[tuple[Paper, Wording], ...] = tuple(
    (paper(f"2609.{40001 + number}", title, abstract), Wording("zh", title_zh, "", abstract_zh, "import"))
    for number, (title, title_zh, abstract, abstract_zh) in enumerate(_PAIRS)
)
"""Each paper with its translation; the texts are clean."""
