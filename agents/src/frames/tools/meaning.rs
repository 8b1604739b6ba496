//! Questions that need meaning: answered by the model, in batches, and locally where pixels suffice.
//!
//! No answer is made up: a wrong number of answers, or one of another type, is an exception. Nothing here
//! looks at the wording of a question.

use serde_json::Value;
use waldo_cage::{HostError, Val};
use waldo_prompts::frames::{AskPrompt, Boxes, Judge, Rank};

use super::Tools;
use super::act::refused;
use super::args::Args;
use crate::frames::numbers;
use crate::frames::talk::{BATCH, items};
use crate::frames::vision::{Compared, PxRect, VisionPicture};

/// Characters of a question.
const TEXT: usize = 1_000;
/// Pictures that are looked over in one request.
const OVERVIEW: usize = 40;
/// Regions that are looked for on one picture.
const REGIONS: usize = 20;

fn limited(text: String) -> Result<String, HostError> {
    match text.trim() {
        "" => Err(refused("the question is empty")),
        text if text.chars().count() > TEXT => {
            Err(refused(format!("a question has {TEXT} characters at most")))
        }
        text => Ok(text.to_owned()),
    }
}

fn prompt<E: std::fmt::Display>(made: Result<String, E>) -> Result<String, HostError> {
    made.map_err(|e| HostError::stop(format!("prompt: {e}")))
}

fn answer(value: &Value, kind: &str) -> Result<Val, String> {
    match (kind, value) {
        ("bool", Value::Bool(b)) => Ok(Val::Bool(*b)),
        ("int", Value::Number(n)) if n.as_i64().is_some() => Ok(Val::Int(n.as_i64().unwrap_or_default())),
        ("str", Value::String(text)) => Ok(Val::Str(text.trim().to_owned())),
        (kind, other) => Err(format!("{other} is not a valid {kind}")),
    }
}

/// The first `count` numbers, the best first: at least `wanted` different ones have to be named, and those that
/// are not follow in their own order.
fn order(reply: &str, count: usize, wanted: usize) -> Result<Vec<usize>, String> {
    let found = items(reply, "order")?;
    let ids: Vec<usize> =
        found.iter().filter_map(Value::as_u64).filter_map(|n| usize::try_from(n).ok()).collect();
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    sorted.dedup();
    let known = sorted.len() == found.len() && sorted.last().is_none_or(|last| *last < count);
    if !known || ids.len() < wanted {
        return Err(format!(
            "order has to name {wanted} of the images 0 to {}, each once",
            count.saturating_sub(1)
        ));
    }
    let others = (0..count).filter(|n| !ids.contains(n));
    Ok(ids.iter().copied().chain(others).collect())
}

/// Boxes as shares of a thousand of the picture: left, top, right, bottom.
fn boxes(reply: &str, (w, h): (u32, u32)) -> Result<Vec<PxRect>, String> {
    let mut found = Vec::new();
    for item in items(reply, "boxes")?.iter().take(REGIONS) {
        let sides: Vec<u32> = item
            .as_array()
            .map(|sides| {
                sides.iter().filter_map(Value::as_f64).map(|x| x.clamp(0.0, 1000.0) as u32).collect()
            })
            .unwrap_or_default();
        let [left, top, right, bottom] = sides[..] else {
            return Err("each box is a list of four numbers from 0 to 1000".into());
        };
        if right <= left || bottom <= top {
            return Err("a box is [left, top, right, bottom], with right > left and bottom > top".into());
        }
        let (x, y) = (left * w / 1000, top * h / 1000);
        found.push(PxRect::new(
            x,
            y,
            (right * w / 1000).saturating_sub(x).max(1),
            (bottom * h / 1000).saturating_sub(y).max(1),
        ));
    }
    Ok(found)
}

impl Tools<'_> {
    /// `ask(images, question, answer_type)`: one answer for each image, in order.
    pub(super) async fn ask(&mut self, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["images", "question", "answer_type"])?;
        let ids = args.objects(0, "Image")?;
        let question = limited(args.text(1)?)?;
        let kind = args.word(2, &["bool", "int", "str"])?;
        let pictures = self.pictures_of(&ids)?;
        let mut answers = Vec::with_capacity(pictures.len());
        for batch in pictures.chunks(BATCH) {
            let count = batch.len();
            let context = AskPrompt { question: question.clone(), kind: kind.clone(), count };
            let text = prompt(self.talk.prompts.frames_ask(&context))?;
            let read = |reply: &str| {
                let found = items(reply, "answers")?;
                if found.len() != count {
                    return Err(format!("there are {} answers for {count} images", found.len()));
                }
                found.iter().map(|value| answer(value, &kind)).collect::<Result<Vec<_>, _>>()
            };
            let deadline = self.line.deadline();
            answers.extend(self.talk.meaning("ask", &text, batch, read, deadline).await?);
        }
        Ok(Val::List(answers))
    }

    /// `rank(images, task_objective)`: numbers of the images, the best first.
    pub(super) async fn rank(&mut self, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["images", "task_objective|objective"])?;
        let ids = args.objects(0, "Image")?;
        let objective = limited(args.text(1)?)?;
        let pictures = self.pictures_of(&ids)?;
        let mut left: Vec<usize> = (0..pictures.len()).collect();
        // Many are looked over together first; those that come out best are then held against each other.
        let mut rest = Vec::new();
        while left.len() > BATCH {
            let share = BATCH.div_ceil(left.len().div_ceil(OVERVIEW));
            let (mut heads, mut tail) = (Vec::new(), Vec::new());
            for batch in left.chunks(OVERVIEW) {
                let mut sorted = self.order_of(batch, &pictures, &objective, share).await?;
                tail.extend(sorted.split_off(share.min(sorted.len())));
                heads.extend(sorted);
            }
            tail.extend(rest);
            (left, rest) = (heads, tail);
        }
        let mut best_first = self.order_of(&left, &pictures, &objective, left.len()).await?;
        best_first.extend(rest);
        Ok(Val::List(best_first.into_iter().map(|n| Val::Int(n as i64)).collect()))
    }

    /// A batch of pictures with the best `wanted` of it first, and the others after them as they stood.
    async fn order_of(
        &mut self,
        batch: &[usize],
        pictures: &[VisionPicture],
        objective: &str,
        wanted: usize,
    ) -> Result<Vec<usize>, HostError> {
        if batch.len() <= 1 {
            return Ok(batch.to_vec());
        }
        let shown: Vec<VisionPicture> = batch.iter().filter_map(|n| pictures.get(*n).cloned()).collect();
        let count = shown.len();
        let wanted = wanted.min(count);
        let context = Rank { objective: objective.to_owned(), count, wanted };
        let text = prompt(self.talk.prompts.frames_rank(&context))?;
        let deadline = self.line.deadline();
        let read = |reply: &str| order(reply, count, wanted);
        let sorted = self.talk.meaning("rank", &text, &shown, read, deadline).await?;
        Ok(sorted.into_iter().filter_map(|n| batch.get(n).copied()).collect())
    }

    /// `compare(images, task_objective, reference=None)`: whether each fits. Images that equal the reference
    /// to the eye are told apart locally and not asked about, where the reference itself fits by definition.
    pub(super) async fn compare(&mut self, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["images", "task_objective|objective", "reference"])?;
        let ids = args.objects(0, "Image")?;
        let objective = limited(args.text(1)?)?;
        let reference = match args.value(2) {
            None => None,
            Some(Val::Handle(h)) if h.class == "Image" => {
                Some(self.picture(usize::try_from(h.id).unwrap_or(usize::MAX))?)
            }
            Some(_) => return Err(refused("compare(): reference has to be an Image")),
        };
        let pictures = self.pictures_of(&ids)?;
        let mut verdicts: Vec<Option<bool>> = vec![None; pictures.len()];
        if let Some(reference) = &reference {
            // Pixel for pixel the same, all of them: then nothing can tell them apart.
            if pictures.iter().all(|p| p.compare(reference) == Compared::Same) {
                verdicts.fill(Some(true));
            }
        }
        let open: Vec<usize> = (0..pictures.len()).filter(|n| verdicts[*n].is_none()).collect();
        for batch in open.chunks(BATCH - 1) {
            let count = batch.len();
            let mut shown: Vec<VisionPicture> = batch.iter().map(|n| pictures[*n].clone()).collect();
            shown.extend(reference.clone());
            let context = Judge { objective: objective.clone(), count, reference: reference.is_some() };
            let text = prompt(self.talk.prompts.frames_compare(&context))?;
            let read = |reply: &str| {
                let found = items(reply, "answers")?;
                let verdicts: Vec<bool> = found.iter().filter_map(Value::as_bool).collect();
                if verdicts.len() == count && found.len() == count {
                    Ok(verdicts)
                } else {
                    Err(format!("answers has to hold {count} times true or false"))
                }
            };
            let deadline = self.line.deadline();
            let answers = self.talk.meaning("compare", &text, &shown, read, deadline).await?;
            for (n, verdict) in batch.iter().zip(answers) {
                verdicts[*n] = Some(verdict);
            }
        }
        Ok(Val::List(verdicts.into_iter().map(|v| Val::Bool(v.unwrap_or(false))).collect()))
    }

    async fn regions(&mut self, id: usize, what: &str) -> Result<(VisionPicture, Vec<PxRect>), HostError> {
        let picture = self.picture(id)?;
        let text = prompt(self.talk.prompts.frames_boxes(&Boxes { what: what.to_owned() }))?;
        let size = picture.size();
        let shown = std::slice::from_ref(&picture);
        let deadline = self.line.deadline();
        let found = self.talk.meaning("find", &text, shown, |reply| boxes(reply, size), deadline).await?;
        Ok((picture, found))
    }

    /// `mark(images, object)`: copies with a numbered box, from 1, around each such thing.
    pub(super) async fn mark(&mut self, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["images", "object"])?;
        let ids = args.objects(0, "Image")?;
        let object = limited(args.text(1)?)?;
        let mut marked = Vec::with_capacity(ids.len());
        for id in ids {
            let (picture, found) = self.regions(id, &object).await?;
            let numbered: Vec<_> = (1..).zip(found).collect();
            marked.push(self.give(numbers::boxes(picture.pixels(), &numbered).into())?);
        }
        Ok(Val::List(marked))
    }

    /// `focus(image, description)`: the regions that fit, twice as large; none may be found.
    pub(super) async fn focus(&mut self, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["image", "description"])?;
        let id = args.object(0, "Image")?;
        let what = limited(args.text(1)?)?;
        let (picture, found) = self.regions(id, &what).await?;
        let (w, h) = picture.size();
        let mut parts = Vec::with_capacity(found.len());
        for rect in found {
            let part = picture.crop(&rect.outset(4, w, h)).map_err(|e| refused(e.to_string()))?;
            let (w, h) = part.size();
            let part =
                part.resize((w * 2).min(2048), (h * 2).min(2048)).map_err(|e| refused(e.to_string()))?;
            parts.push(self.give(part)?);
        }
        Ok(Val::List(parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_and_boxes_are_of_the_asked_form() {
        assert_eq!(answer(&serde_json::json!(3), "int"), Ok(Val::Int(3)));
        assert!(answer(&serde_json::json!("3"), "int").is_err());
        assert!(answer(&serde_json::json!(1), "bool").is_err());
        assert!(answer(&serde_json::json!(null), "str").is_err());
        let found = boxes("{\"boxes\": [[0, 0, 500, 1000]]}", (200, 100)).unwrap();
        assert_eq!(found, [PxRect::new(0, 0, 100, 100)]);
        assert!(boxes("{\"boxes\": []}", (9, 9)).unwrap().is_empty());
        assert!(boxes("{\"boxes\": [[500, 0, 100, 9]]}", (9, 9)).is_err());
        assert!(boxes("{\"boxes\": [[1, 2]]}", (9, 9)).is_err());
    }

    #[test]
    fn an_order_names_each_once() {
        assert_eq!(order("{\"order\": [2, 0, 1]}", 3, 3).unwrap(), [2, 0, 1]);
        for bad in [
            "{\"order\": [0, 0, 1]}",
            "{\"order\": [0, 1]}",
            "{\"order\": [1, 2, 3]}",
            "{\"order\": [0, 1, 2, \"x\"]}",
        ] {
            assert!(order(bad, 3, 3).is_err(), "{bad}");
        }
        // Of many the best alone are asked for.
        assert_eq!(order("{\"order\": [4, 2]}", 6, 2).unwrap(), [4, 2, 0, 1, 3, 5]);
        assert!(order("{\"order\": [4]}", 6, 2).is_err() && order("{\"order\": [4, 6]}", 6, 2).is_err());
    }
}
